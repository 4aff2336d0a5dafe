/** What would take long is counted before it is parsed, and refused in the words of the caller's wire. */
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, errorIn, paths, wires } from '../../support/faults/wires.ts'

const many = (count: number): string => `[${'{},'.repeat(count)}{}]`

test.each(wires)(
  'A request of too many values is refused with the setting that raises the limit, in the format of the %s wire.',
  async wire => {
    const { gateway, upstream } = createHarness({ limits: { nodes: 1000 } })
    for (const body of [
      `{"model":"m","metadata":${many(1000)}}`,
      `{"model":"m\\u006d","metadata":${many(1000)}}`,
      `{"model":"m"${',"k":1'.repeat(1000)}}`,
    ]) {
      const client = sendTo(gateway, paths[wire], { body })
      await client.done
      expect(client.status).toBe(413)
      expect(errorIn(wire, client.json())).toContain('more than 1000 values')
      expect(errorIn(wire, client.json())).toContain('"limits.nodes"')
    }
    expect(upstream.requests.length).toBe(0)
  },
)

test.each(wires)(
  'A request of too many fields is refused in the format of the %s wire, whoever reads it.',
  async wire => {
    const { gateway, upstream } = createHarness({ wire: wire === 'chat' ? 'messages' : 'chat' })
    const fields = (count: number): string =>
      Array.from({ length: count }, (_, index) => `,"k${index}":1`).join('')
    for (const model of ['"m"', '"m\\u006d"']) {
      const client = sendTo(gateway, paths[wire], { body: `{"model":${model}${fields(1000)}}` })
      await client.done
      expect(client.status).toBe(413)
      expect(errorIn(wire, client.json())).toContain('more than 1000 fields')
    }
    expect(upstream.requests.length).toBe(0)
  },
)

test.each(wires)('An answer of too many values is a 502 for a %s client.', async wire => {
  const { gateway, upstream } = createHarness({
    wire: wire === 'chat' ? 'messages' : 'chat',
    limits: { nodes: 1000 },
  })
  const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
  ;(await upstream.next()).json(200, `{"choices":${many(1000)}}`)
  await client.done
  expect(client.status).toBe(502)
  expect(errorIn(wire, client.json())).toContain('more than 1000 values')
})

test.each(wires)('An event of too many values ends the stream of a %s client in an error.', async wire => {
  const { gateway, upstream } = createHarness({
    wire: wire === 'chat' ? 'messages' : 'chat',
    limits: { eventNodes: 1000 },
  })
  const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
  const asked = await upstream.next()
  asked.head(200, { 'content-type': 'text/event-stream' })
  asked.data(`data: {"type":"x","choices":${many(40_000)}}\n\n`).end()
  await client.done
  expect(client.text).toContain('more than 1000 values')
})

test('A page of tags that are never closed is described by its first words, and only its beginning is looked at.', async () => {
  const { gateway, upstream } = createHarness()
  const client = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
  ;(await upstream.next()).json(400, `<html><b>Out of</b> order${'<'.repeat(300_000)}`)
  await client.done
  expect(errorIn('chat', client.json())).toMatch(/status 400: Out of order<<</)
})

test('More losses than a call can have arguments are counted, and the request is answered.', async () => {
  const { gateway, upstream } = createHarness({ losses: 'allow', limits: { nodes: 10_000_000 } })
  const input = Array.from({ length: 150_000 }, () => ({
    type: 'message',
    role: 'user',
    content: 'a',
    odd: 1,
  }))
  const client = sendTo(gateway, paths.responses, {
    body: { model: 'm', store: false, input },
    headers: { 'x-toolwire-report': '1' },
  })
  ;(await upstream.next()).json(200, await answerOf('chat'))
  await client.done
  expect(client.status).toBe(200)
  expect(Number(client.headers['x-toolwire-losses'])).toBeGreaterThanOrEqual(150_000)
  expect(client.text).toContain('losses_omitted')
})

test('A request that adds too many items to a conversation is refused with their number, and adds none.', async () => {
  const { gateway } = createHarness({ store: createMemoryStore({ now: () => 0 }), limits: { items: 10 } })
  const items = Array.from({ length: 11 }, () => ({ role: 'user', content: 'a' }))
  const send = (path: string, body: object): ReceivedAnswer => sendTo(gateway, path, { body })
  const made = send('/v1/conversations', { items: items.slice(1) })
  await made.done
  expect(made.status).toBe(200)
  const path = `/v1/conversations/${made.json().id}/items`
  for (const refused of [send('/v1/conversations', { items }), send(path, { items })]) {
    await refused.done
    expect(refused.status).toBe(413)
    expect(errorIn('responses', refused.json())).toContain('at most 10 items; this one has 11')
  }
  const listed = sendTo(gateway, `${path}?limit=100`)
  await listed.done
  expect(listed.json().data).toHaveLength(10)
})
