/** One wire on both sides and nothing to change: what the client sends is not read, and nothing of it is lost. */
import { describe, expect, test } from 'vitest'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import {
  answerOf,
  bodyFor,
  endOf,
  errorIn,
  framesOf,
  paths,
  textTurn,
  wires,
} from '../../support/faults/wires.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'

const bytesOf = (body: string | Uint8Array): string => Buffer.from(body as Uint8Array).toString('utf8')

describe.each(wires)('a request on the %s wire to its own', wire => {
  test('An unread request is passed on byte for byte, and so is its answer.', async () => {
    const { gateway, upstream } = createHarness({ wire })
    const sent = ` ${JSON.stringify({ ...bodyFor(wire), 'x-unknown': [1.0, 'ä\u0000', { a: null }] }, null, 3)}\n`
    const client = sendTo(gateway, paths[wire], { body: sent })
    const asked = await upstream.next()
    expect(bytesOf(asked.request.body)).toBe(sent)
    const said = `${JSON.stringify(await answerOf(wire), null, 1)}`
    asked.head(200, { 'content-type': 'application/json' }).data(said).end()
    await client.done
    expect(client.status).toBe(200)
    expect(client.text).toBe(said)
    expect(client.headers).toMatchObject({ 'x-toolwire-losses': '0', 'x-toolwire-upstream': 'up' })
  })

  test('Observers learn the outcome of an unread request.', async () => {
    const { observer, facts } = collectFacts()
    const { gateway, upstream } = createHarness({ wire, observer })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
    const asked = await upstream.next()
    asked.json(200, await answerOf(wire))
    await client.done
    const told = { finish: 'stop', usage: { input: 3, output: 2 }, status: 200, wire, upstreamWire: wire }
    expect(facts).toMatchObject([told])
    const streamed = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const again = await upstream.next()
    again.stream()
    for (const frame of await framesOf(wire, textTurn)) again.data(frame)
    again.end()
    await streamed.done
    expect(facts[1]).toMatchObject({ ...told, streamed: true })
  })

  test('When the stream for an unread request breaks off, the client gets an error of its wire.', async () => {
    const { gateway, upstream, clock } = createHarness({ wire })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    for (const frame of (await framesOf(wire, textTurn)).slice(0, 2)) asked.data(frame)
    await clock.settle()
    asked.fail(new Error('gone'))
    await client.done
    expect(endOf(wire, client.text)).toMatchObject({
      end: 'failed',
      message: expect.stringContaining('cut off'),
    })
  })

  test('The stream for an unread request passes completely, though characters are cut and chunks share memory.', async () => {
    const { gateway, upstream, clock } = createHarness({ wire })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    const said = (await framesOf(wire, { ...textTurn, text: 'Größe: 🙂 größer'.repeat(4) })).join('')
    const bytes = Buffer.from(said)
    // Three bytes to a chunk and two chunks to a turn: every letter beyond ASCII is cut somewhere.
    for (let at = 0; at < bytes.length; at += 6) {
      asked.data(bytes.subarray(at, at + 3)).data(bytes.subarray(at + 3, at + 6))
      await clock.settle()
    }
    asked.end()
    await client.done
    expect(client.text).toBe(said)
  })

  test('An unread request whose error has a status of success is answered with a status of failure.', async () => {
    const { gateway, upstream } = createHarness({ wire })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
    const asked = await upstream.next()
    asked.json(200, { error: { message: 'No model is loaded.', type: 'server_error' } })
    await client.done
    expect(client.status).toBeGreaterThanOrEqual(400)
    expect(client.json()).toMatchObject({ error: { message: 'No model is loaded.' } })
  })

  test('An unread request that is answered with a page, or with half an object, fails.', async () => {
    const { gateway, upstream } = createHarness({ wire })
    for (const [type, text] of [
      ['text/html', '<html>Sign in</html>'],
      ['application/json', '{"id":"a","object":'],
    ] as const) {
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
      const asked = await upstream.next()
      asked.head(200, { 'content-type': type }).data(text).end()
      await client.done
      expect(client.status).toBe(502)
      expect(errorIn(wire, client.json())).toContain('not JSON')
    }
  })

  test('A request is parsed where something has to be changed.', async () => {
    const rename = { upstream: { models: ['m'], rename: { m: 'other' } } }
    const { gateway, upstream } = createHarness({ wire, ...rename })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { model: 'm' }) })
    const asked = await upstream.next()
    expect(asked.body.model).toBe('other')
    asked.json(200, await answerOf(wire))
    await client.done
  })

  test.each([
    ['written twice', '"model":"first","model":"m"'],
    ['written twice and escaped', '"mod\\u0065l":"first","model":"m"'],
    ['escaped, and last', '"model":"first","mod\\u0065l":"m"'],
    ['and a stream written twice', '"model":"m","stream":true,"stream":false'],
    ['and a stream escaped', '"model":"m","stre\\u0061m":true,"stream":false'],
  ])('What was checked of a request is what is sent: a model %s.', async (_, names) => {
    const { gateway, upstream } = createHarness({ wire, upstream: { models: ['m'] } })
    const { model: _model, ...rest } = bodyFor(wire) as { model: string }
    const client = sendTo(gateway, paths[wire], { body: `{${names},${JSON.stringify(rest).slice(1)}` })
    const asked = await upstream.next()
    const sent = bytesOf(asked.request.body)
    expect(sent.match(/"mod(?:e|\\u0065)l"/g)).toEqual(['"model"'])
    expect(sent.match(/"stre(?:a|\\u0061)m":(?:true|false)/g) ?? []).toHaveLength(
      names.includes('stre') ? 1 : 0,
    )
    expect(asked.body).toMatchObject({ ...rest, model: 'm' })
    expect(asked.body.stream ?? false).toBe(false)
    asked.json(200, await answerOf(wire))
    await client.done
    expect(client.status).toBe(200)
  })

  test('A request with the header for a report is parsed and gets its report.', async () => {
    const { gateway, upstream } = createHarness({ wire })
    const headers = { 'x-toolwire-report': '1' }
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire), headers })
    const asked = await upstream.next()
    asked.json(200, await answerOf(wire))
    await client.done
    expect(client.json().metadata).toEqual({ toolwire_losses: '[]' })
  })

  test('A request that is not JSON never reaches the upstream.', async () => {
    const { gateway, upstream } = createHarness({ wire })
    for (const body of ['{"model":"m"', 'model=m', '{"model":"m"}}', '[]']) {
      const client = sendTo(gateway, paths[wire], { body })
      await client.done
      expect(client.status).toBe(400)
    }
    expect(upstream.requests).toEqual([])
  })
})
