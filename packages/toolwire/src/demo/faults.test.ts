/** The demo models that fail on purpose, and pause, resume and abort of those that do not. */
import { createTestHost, type TestHost } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { Flow } from '../gateway/http/contract.ts'
import type { Clock } from '../platform/clock.ts'
import { chunksOf, eventsOf, post, postDemo, tool } from './demo-client.test-helper.ts'
import { createDemoModel } from './demo-model.ts'

const weather = tool('get_weather', { city: { type: 'string' } })
const question = { messages: [{ role: 'user', content: 'Weather in Oslo and Rome' }], tools: [weather] }
const stream = (model: string): object => ({ ...question, model, stream: true })
const whole = (model: string): object => ({ ...question, model })
const last = (events: readonly string[]): unknown => JSON.parse(events.at(-1) ?? '')

describe('Demo models that fail', () => {
  test('demo-429 returns a rate limit with retry-after.', async () => {
    for (const body of [stream('demo-429'), whole('demo-429')]) {
      const { status, headers, text } = await postDemo(body)
      expect(status).toBe(429)
      expect(headers['retry-after']).toBe('1')
      expect(JSON.parse(text)).toMatchObject({
        error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
      })
    }
  })

  test('demo-500 returns a server error.', async () => {
    for (const body of [stream('demo-500'), whole('demo-500')]) {
      const { status, text } = await postDemo(body)
      expect(status).toBe(500)
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error' } })
    }
  })

  test('demo-cut loses the connection within the answer.', async () => {
    const streamed = await postDemo(stream('demo-cut'))
    expect(streamed.failure).toMatchObject({ code: 'ECONNRESET' })
    const chunks = chunksOf(streamed.text)
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true)
    const body = await postDemo(whole('demo-cut'))
    expect(body).toMatchObject({ status: 200, failure: { code: 'ECONNRESET' } })
    expect(() => JSON.parse(body.text)).toThrow(SyntaxError)
  })

  test('demo-error-frame sends an error in the stream and no finish.', async () => {
    const { status, text, failure } = await postDemo(stream('demo-error-frame'))
    expect({ status, failure }).toEqual({ status: 200, failure: undefined })
    const events = eventsOf(text)
    expect(events.length).toBeGreaterThan(2)
    expect(last(events)).toMatchObject({ error: { type: 'server_error' } })
    expect(text).not.toMatch(/"finish_reason":"|\[DONE\]/)
    const body = await postDemo(whole('demo-error-frame'))
    expect(body.status).toBe(200)
    expect(JSON.parse(body.text)).toMatchObject({ error: { type: 'server_error' } })
  })

  test('demo-malformed breaks the JSON of one event or of the body.', async () => {
    const { text } = await postDemo(stream('demo-malformed'))
    const broken = eventsOf(text).filter(event => event !== '[DONE]' && !isJson(event))
    expect(broken).toHaveLength(1)
    expect(eventsOf(text).at(-1)).toBe('[DONE]')
    const body = await postDemo(whole('demo-malformed'))
    expect(body).toMatchObject({ status: 200, failure: undefined })
    expect(isJson(body.text)).toBe(false)
  })

  test('demo-refuse answers with a refusal.', async () => {
    const { text } = await postDemo(whole('demo-refuse'))
    expect(JSON.parse(text)).toMatchObject({
      choices: [
        { finish_reason: 'stop', message: { content: null, refusal: expect.stringMatching(/cannot help/) } },
      ],
    })
  })

  test('demo-empty answers without content.', async () => {
    const { text } = await postDemo(whole('demo-empty'))
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { content: '', refusal: null } }],
      usage: { completion_tokens: 0 },
    })
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

interface Watched extends Flow {
  readonly calls: string[]
}

function clockOf(host: TestHost): Clock {
  return { now: () => host.now(), date: () => host.now(), after: (ms, callback) => host.after(ms, callback) }
}

function watch(
  host: TestHost,
  body: object,
  onCall: (flow: Flow, calls: string[]) => void = () => {},
): Watched {
  const calls: string[] = []
  const decoder = new TextDecoder()
  const note = (call: string): void => {
    calls.push(call)
    onCall(flow, calls)
  }
  const { transport } = createDemoModel({ clock: clockOf(host), delayMs: 10, newId: () => 'a' })
  const flow = transport(post(body), {
    head: status => note(`head ${status}`),
    data: chunk => note(decoder.decode(chunk)),
    end: () => note('end'),
    fail: error => note(`fail ${error.message}`),
  })
  return { calls, ...flow }
}

async function settle(host: TestHost, count = 100): Promise<void> {
  for (let i = 0; i < count; i++) await host.settle()
}

/** Advances until there is no timer any more. */
async function runOut(host: TestHost): Promise<void> {
  await settle(host)
  while (host.timers > 0) {
    await host.advance(10)
    await settle(host, 3)
  }
}

describe('Time', () => {
  test('demo-slow sends one piece after each delay.', async () => {
    const host = createTestHost()
    const { calls } = watch(host, stream('demo-slow'))
    await settle(host)
    expect(calls).toEqual(['head 200'])
    await host.advance(10)
    await settle(host)
    expect(calls).toHaveLength(2)
    expect(eventsOf(calls[1] ?? '')).toHaveLength(1)
    await host.advance(10)
    await settle(host)
    expect(calls).toHaveLength(3)
    await runOut(host)
    expect(calls.at(-1)).toBe('end')
    expect(host.timers).toBe(0)
  })

  test('demo-slow takes as long without a stream.', async () => {
    const host = createTestHost()
    const streamed = watch(host, stream('demo-slow'))
    await runOut(host)
    const took = host.now()
    const other = createTestHost()
    const { calls } = watch(other, whole('demo-slow'))
    await settle(other)
    await other.advance(took - 1)
    await settle(other)
    expect(calls).toEqual([])
    await other.advance(1)
    await settle(other)
    expect(calls.at(-1)).toBe('end')
    expect(streamed.calls.at(-1)).toBe('end')
  })

  test('demo-stall begins and then sends only comments until it is aborted.', async () => {
    const host = createTestHost()
    const flow = watch(host, stream('demo-stall'))
    await settle(host)
    const begun = flow.calls.length
    expect(begun).toBeGreaterThan(1)
    for (let i = 0; i < 3; i++) {
      await host.advance(1000)
      await settle(host)
    }
    expect(flow.calls.slice(begun)).toEqual(Array(3).fill(': still here\n\n'))
    flow.abort()
    expect(host.timers).toBe(0)
    await host.advance(5000)
    expect(flow.calls).toHaveLength(begun + 3)
  })

  test('demo-stall without a stream stops within the body.', async () => {
    const host = createTestHost()
    const { calls } = watch(host, whole('demo-stall'))
    await settle(host)
    expect(calls).toHaveLength(2)
    expect(isJson(calls[1] ?? '')).toBe(false)
    expect(host.timers).toBe(0)
  })
})

describe('Flow', () => {
  test('The receiver is not called before the transport has returned.', () => {
    expect(watch(createTestHost(), whole('demo')).calls).toEqual([])
  })

  test('A paused answer goes on where it was when it is resumed.', async () => {
    const host = createTestHost()
    const free = watch(host, stream('demo'))
    const held = watch(host, stream('demo'), (flow, calls) => {
      if (calls.length === 2) flow.pause()
    })
    await settle(host)
    expect(free.calls.at(-1)).toBe('end')
    expect(held.calls).toHaveLength(2)
    held.resume()
    held.resume()
    await settle(host)
    expect(held.calls).toEqual(free.calls)
  })

  test('A receiver that pauses and resumes within a call gets each piece once.', async () => {
    const host = createTestHost()
    const free = watch(host, stream('demo'))
    const nervous = watch(host, stream('demo'), flow => {
      flow.pause()
      flow.resume()
    })
    const paced = watch(host, stream('demo-slow'), flow => {
      flow.pause()
      flow.resume()
    })
    await settle(host)
    expect(nervous.calls).toEqual(free.calls)
    expect(paced.calls).toEqual(['head 200'])
  })

  test('A pause also holds the pieces of timers.', async () => {
    const host = createTestHost()
    const flow = watch(host, stream('demo-slow'))
    await settle(host)
    flow.pause()
    await runOut(host)
    expect(flow.calls).toEqual(['head 200'])
    expect(host.timers).toBe(0)
    flow.resume()
    await runOut(host)
    expect(flow.calls.at(-1)).toBe('end')
  })

  test.each([0, 1, 2, 3])('An answer that is aborted after %i calls makes no other.', async after => {
    const host = createTestHost()
    const flow = watch(host, stream('demo'), (own, calls) => {
      if (calls.length === after) own.abort()
    })
    if (after === 0) flow.abort()
    await settle(host)
    expect(flow.calls).toHaveLength(after)
    flow.resume()
    await settle(host)
    expect(flow.calls).toHaveLength(after)
  })

  test('Events share chunks when nothing paces them.', async () => {
    const { chunks, text } = await postDemo({ ...stream('demo'), tools: [] })
    expect(eventsOf(text).length).toBeGreaterThan(40)
    expect(chunks.length).toBeLessThan(eventsOf(text).length / 10)
  })
})
