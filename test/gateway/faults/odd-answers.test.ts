/** Upstreams whose answers are well meant and still cannot be passed on as they are. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { adapters, jsonPost } from '../../support/faults/adapters.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import {
  answerOf,
  bodyFor,
  endOf,
  errorIn,
  framesOf,
  pairs,
  paths,
  textTurn,
} from '../../support/faults/wires.ts'

const odd = 'in 3 s → später\u0000'

test.each(adapters)(
  'A header that no server may send does not spoil the answer through %s.',
  async (_, open) => {
    const { gateway, upstream } = createHarness({ upstream: { retries: 0 } })
    const adapter = await open(gateway)
    const refused = adapter.request(paths.chat, jsonPost(bodyFor('chat')))
    ;(await upstream.next()).json(429, { error: { message: 'Slower.' } }, { 'x-ratelimit-reset-tokens': odd })
    expect(await refused).toMatchObject({ status: 429 })
    expect((await refused).headers.get('x-ratelimit-reset-tokens')).toBe('in 3 s ? sp?ter?')
    const passed = adapter.request(paths.chat, jsonPost(bodyFor('chat')))
    ;(await upstream.next()).json(200, await answerOf('chat'), {
      'content-type': `application/json; x="${odd}"`,
    })
    expect(await passed).toMatchObject({ status: 200 })
    await adapter.close()
  },
)

const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
const inside = { calls: [{ name: 'weather', id: 'call_1', arguments: { city: 'DEEP' } }] }

/** The answer with arguments nested far deeper than anybody can read or write. */
function deepened(wire: Wire, text: string, streamed: boolean): string {
  if (wire === 'messages' && !streamed) return text.replace('"DEEP"', deep)
  return text.replaceAll('\\"DEEP\\"', deep.replaceAll('"', '\\"'))
}

describe.each(pairs)('%s over %s, with arguments nested 20,000 levels deep', (client, wire) => {
  test('A deeply nested answer is passed on, or refused with the reason; no call is lost.', async () => {
    const { gateway, upstream, clock } = createHarness({ wire, upstream: { retries: 0 } })
    const told = sendTo(gateway, paths[client], { body: bodyFor(client) })
    const answer = deepened(wire, JSON.stringify(await answerOf(wire, inside)), false)
    expect(answer.length).toBeGreaterThan(deep.length)
    ;(await upstream.next()).head(200).data(answer).end()
    await told.done
    if (told.status === 200) expect(told.text.length).toBeGreaterThan(deep.length)
    else {
      expect(told.status).toBe(502)
      expect(errorIn(client, told.json())).toMatch(/nested/)
    }
    expect(clock.timers).toBe(0)
  })

  test('A stream with deeply nested arguments ends as its wire ends streams.', async () => {
    const { gateway, upstream, clock } = createHarness({ wire })
    const told = sendTo(gateway, paths[client], { body: bodyFor(client, { stream: true }) })
    const asked = await upstream.next()
    const frames = await framesOf(wire, {
      ...inside,
      calls: [{ ...inside.calls[0], arguments: { c: 'D' } }],
    } as never)
    asked.stream()
    await clock.settle()
    asked.data(frames.join('').replaceAll('\\"D\\"', deep.replaceAll('"', '\\"'))).end()
    await told.done
    expect(endOf(client, told.text).end).not.toBe('cut')
    expect(clock.timers).toBe(0)
  })
})

test('An answer that passes unchanged may be nested to any depth.', async () => {
  const { gateway, upstream } = createHarness({ wire: 'messages' })
  const told = sendTo(gateway, paths.messages, { body: bodyFor('messages') })
  const answer = deepened('messages', JSON.stringify(await answerOf('messages', inside)), false)
  ;(await upstream.next()).head(200).data(answer).end()
  await told.done
  expect(told.text).toBe(answer)
})

test.each([
  ['', 'after its own time'],
  ['soon', 'after its own time'],
  ['-5', 'after its own time'],
  ['0', 'at once'],
  ['1.5', 'after 1500 ms'],
  [' 2 ', 'after 2000 ms'],
])('After a refusal with "retry-after: %s" the request is sent again %s.', async (given, when) => {
  const { gateway, upstream, clock } = createHarness()
  const told = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
  ;(await upstream.next()).json(429, { error: { message: 'Slower.' } }, { 'retry-after': given })
  await clock.settle()
  const wait = when === 'at once' ? 0 : Number(/\d+/.exec(when)?.[0] ?? 300)
  if (wait > 0) {
    await clock.advance(wait - 1)
    expect(upstream.requests.length).toBe(1)
  }
  await clock.advance(1)
  expect(upstream.requests.length).toBe(2)
  ;(await upstream.next()).json(200, await answerOf('chat', textTurn))
  await told.done
  expect(told.status).toBe(200)
})

describe.each(pairs)('%s over %s, with a key that is refused', (client, wire) => {
  test.each([
    [401, 'authentication_error'],
    [403, 'permission_error'],
  ])('A status %s is about the key, whatever the body calls it.', async (status, type) => {
    for (const called of ['invalid_request_error', 'rate_limit_error', 'of_tomorrow', undefined]) {
      for (const stream of [false, true]) {
        const { gateway, upstream } = createHarness({ wire, upstream: { retries: 0 } })
        const told = sendTo(gateway, paths[client], { body: bodyFor(client, { stream }) })
        const error = { message: 'Bad key.', ...(called !== undefined && { type: called }), realm: 'a' }
        const body = { ...(wire === 'messages' && { type: 'error' }), error, request_id: 'r1' }
        ;(await upstream.next()).json(status, body)
        await told.done
        expect(told.status).toBe(status)
        expect(told.json()).toMatchObject({ error: { type, message: 'Bad key.' } })
        // On its own wire, only what the body calls it is changed.
        if (client === wire) expect(told.json()).toMatchObject({ error: { realm: 'a' }, request_id: 'r1' })
      }
    }
  })

  test('A refusal that says what it is passes unchanged on its own wire.', async () => {
    if (client !== wire) return
    const { gateway, upstream } = createHarness({ wire, upstream: { retries: 0 } })
    const told = sendTo(gateway, paths[client], { body: bodyFor(client) })
    const body = { error: { type: 'authentication_error', message: 'Bad key.', hint: 1 }, type: 'error' }
    ;(await upstream.next()).json(401, body)
    await told.done
    expect(told.json()).toEqual(body)
  })
})

test.each(pairs)(
  'An unrequested stream with an event that cannot be read is not taken for a complete answer: %s over %s.',
  async (client, wire) => {
    const { gateway, upstream } = createHarness({ wire, upstream: { retries: 0 } })
    const frames = await framesOf(wire, textTurn)
    for (const at of frames.keys()) {
      // What it marks is known by then.
      if (frames[at]?.includes('[DONE]')) continue
      const told = sendTo(gateway, paths[client], { body: bodyFor(client) })
      const asked = (await upstream.next()).stream()
      for (const [n, frame] of frames.entries())
        asked.data(n === at ? frame.replace(/data: .*\n/, 'data: {"half\n') : frame)
      asked.end()
      await told.done
      expect([at, told.status]).toEqual([at, 502])
      expect(errorIn(client, told.json())).toBeDefined()
    }
  },
)
