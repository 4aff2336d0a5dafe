/** An upstream that repeats its key in an answer: nobody gets to see it, whichever way the answer takes. */
import { describe, expect, test } from 'vitest'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, framesOf, pairs, paths, wires } from '../../support/faults/wires.ts'

const key = 'up/key-0123456789+abcdef='
const secret = 'vendor-secret-4711'
const upstream = { apiKey: key, headers: { 'x-vendor-token': secret } }
const spoken = `The key is ${key}, the token ${secret}.`
const masked = 'The key is ***, the token ***.'

describe.each(pairs)('%s to %s', (from, to) => {
  test('A whole answer that repeats a key is masked, and so are its headers.', async () => {
    const { gateway, upstream: up } = createHarness({ wire: to, upstream })
    const client = sendTo(gateway, paths[from], { body: bodyFor(from) })
    const answer = JSON.stringify(await answerOf(to, { text: spoken }))
    // Some servers escape slashes.
    const type = `application/json; x="${secret}"`
    ;(await up.next()).head(200, { 'content-type': type }).data(answer.replaceAll('/', '\\/')).end()
    await client.done
    expect(client.status).toBe(200)
    expect(client.text).toContain(masked)
    expect(JSON.stringify(client.headers)).not.toContain(secret)
    expect(client.text).not.toMatch(/0123456789|4711/)
  })

  test('A streamed answer that repeats a key is masked, wherever its bytes are cut.', async () => {
    const { gateway, upstream: up, clock } = createHarness({ wire: to, upstream })
    const client = sendTo(gateway, paths[from], { body: bodyFor(from, { stream: true }) })
    const asked = await up.next()
    asked.stream()
    const said = (await framesOf(to, { text: 'Q' })).join('').replaceAll('"Q"', JSON.stringify(spoken))
    const frames = Buffer.from(said)
    for (let at = 0; at < frames.length; at += 7) {
      asked.data(frames.subarray(at, at + 7))
      if (at % 3 === 0) await clock.settle()
    }
    asked.end()
    await client.done
    expect(client.text).toContain(masked)
    expect(client.text).not.toMatch(/0123456789|4711/)
  })
})

describe.each(wires)('%s', wire => {
  test('The key of a client that is sent on is masked too, and an answer without a key keeps its bytes.', async () => {
    const { gateway, upstream: up } = createHarness({ wire, upstream: { forwardKey: true } })
    const own = 'client-key-0123456789'
    const headers = { 'x-api-key': own }
    for (const [text, received] of [
      [`It is ${own}.`, 'It is ***.'],
      [`It is ${own.slice(0, -1)}`, `It is ${own.slice(0, -1)}`],
    ] as const) {
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire), headers })
      const answer = JSON.stringify(await answerOf(wire, { text }))
      ;(await up.next()).head(200).data(answer).end()
      await client.done
      expect(client.text).toBe(answer.replace(text, received))
    }
  })

  test('What may be the beginning of a key is sent once it is known that it is not.', async () => {
    const { gateway, upstream: up, clock } = createHarness({ wire, upstream: { apiKey: 'data: key-1' } })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await up.next()
    asked.stream()
    const frames = await framesOf(wire, { text: 'Fine.' })
    for (const frame of frames) {
      const at = frame.indexOf('data: ') + 6
      asked.data(frame.slice(0, at))
      await clock.settle()
      asked.data(frame.slice(at))
    }
    asked.end()
    await client.done
    expect(client.text).toBe(frames.join(''))
  })
})

test('Neither a list of models nor a count of tokens repeats a key.', async () => {
  const { gateway } = createHarness({
    wire: 'messages',
    upstream,
    answer: asked => asked.json(200, { data: [{ id: `m-${key}` }], input_tokens: 1, note: key }),
  })
  for (const [target, options] of [
    ['/v1/models', {}],
    ['/v1/messages/count_tokens', { body: bodyFor('messages') }],
  ] as const) {
    const client = sendTo(gateway, target, options)
    await client.done
    expect(client.status).toBe(200)
    expect(client.text).toContain('***')
    expect(client.text).not.toContain('0123456789')
  }
})
