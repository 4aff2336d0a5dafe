/** Everything that goes wrong on purpose, and the flow of what does not. */
import { createTestHost, type TestHost } from '@toolwire/core/testing'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../gateway/clock.ts'
import type { Flow } from '../gateway/http/contract.ts'
import { ask, chunksOf, eventsOf, post, tool } from './ask.test-helper.ts'
import { createDemoModel } from './demo-model.ts'

const weather = tool('get_weather', { city: { type: 'string' } })
const asked = { messages: [{ role: 'user', content: 'Weather in Oslo and Rome' }], tools: [weather] }
const stream = (model: string): object => ({ ...asked, model, stream: true })
const whole = (model: string): object => ({ ...asked, model })
const last = (events: readonly string[]): unknown => JSON.parse(events.at(-1) ?? '')

describe('each way to fail', () => {
  it('demo-429 says when to come back', async () => {
    for (const body of [stream('demo-429'), whole('demo-429')]) {
      const { status, headers, text } = await ask(body)
      expect(status).toBe(429)
      expect(headers['retry-after']).toBe('1')
      expect(JSON.parse(text)).toMatchObject({
        error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
      })
    }
  })

  it('demo-500 is an error of the server', async () => {
    for (const body of [stream('demo-500'), whole('demo-500')]) {
      const { status, text } = await ask(body)
      expect(status).toBe(500)
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error' } })
    }
  })

  it('demo-cut loses the connection after it began', async () => {
    const streamed = await ask(stream('demo-cut'))
    expect(streamed.failure).toMatchObject({ code: 'ECONNRESET' })
    const chunks = chunksOf(streamed.text)
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true)
    const body = await ask(whole('demo-cut'))
    expect(body).toMatchObject({ status: 200, failure: { code: 'ECONNRESET' } })
    expect(() => JSON.parse(body.text)).toThrow(SyntaxError)
  })

  it('demo-error-frame says so in the stream and ends it without a finish', async () => {
    const { status, text, failure } = await ask(stream('demo-error-frame'))
    expect({ status, failure }).toEqual({ status: 200, failure: undefined })
    const events = eventsOf(text)
    expect(events.length).toBeGreaterThan(2)
    expect(last(events)).toMatchObject({ error: { type: 'server_error' } })
    expect(text).not.toMatch(/"finish_reason":"|\[DONE\]/)
    const body = await ask(whole('demo-error-frame'))
    expect(body.status).toBe(200)
    expect(JSON.parse(body.text)).toMatchObject({ error: { type: 'server_error' } })
  })

  it('demo-malformed breaks the JSON of one event, or of the body', async () => {
    const { text } = await ask(stream('demo-malformed'))
    const broken = eventsOf(text).filter(event => event !== '[DONE]' && !isJson(event))
    expect(broken).toHaveLength(1)
    expect(eventsOf(text).at(-1)).toBe('[DONE]')
    const body = await ask(whole('demo-malformed'))
    expect(body).toMatchObject({ status: 200, failure: undefined })
    expect(isJson(body.text)).toBe(false)
  })

  it('demo-refuse refuses', async () => {
    const { text } = await ask(whole('demo-refuse'))
    expect(JSON.parse(text)).toMatchObject({
      choices: [
        { finish_reason: 'stop', message: { content: null, refusal: expect.stringMatching(/cannot help/) } },
      ],
    })
  })

  it('demo-empty says nothing and ends well', async () => {
    const { text } = await ask(whole('demo-empty'))
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

async function turns(host: TestHost, count = 100): Promise<void> {
  for (let i = 0; i < count; i++) await host.settle()
}

/** Until no timer waits and none is set any more. */
async function runOut(host: TestHost): Promise<void> {
  await turns(host)
  while (host.timers > 0) {
    await host.advance(10)
    await turns(host, 3)
  }
}

describe('time', () => {
  it('demo-slow gives one piece for each delay', async () => {
    const host = createTestHost()
    const { calls } = watch(host, stream('demo-slow'))
    await turns(host)
    expect(calls).toEqual(['head 200'])
    await host.advance(10)
    await turns(host)
    expect(calls).toHaveLength(2)
    expect(eventsOf(calls[1] ?? '')).toHaveLength(1)
    await host.advance(10)
    await turns(host)
    expect(calls).toHaveLength(3)
    await runOut(host)
    expect(calls.at(-1)).toBe('end')
    expect(host.timers).toBe(0)
  })

  it('demo-slow takes as long for the whole', async () => {
    const host = createTestHost()
    const streamed = watch(host, stream('demo-slow'))
    await runOut(host)
    const took = host.now()
    const other = createTestHost()
    const { calls } = watch(other, whole('demo-slow'))
    await turns(other)
    await other.advance(took - 1)
    await turns(other)
    expect(calls).toEqual([])
    await other.advance(1)
    await turns(other)
    expect(calls.at(-1)).toBe('end')
    expect(streamed.calls.at(-1)).toBe('end')
  })

  it('demo-stall begins, then only comments come, until it is aborted', async () => {
    const host = createTestHost()
    const flow = watch(host, stream('demo-stall'))
    await turns(host)
    const begun = flow.calls.length
    expect(begun).toBeGreaterThan(1)
    for (let i = 0; i < 3; i++) {
      await host.advance(1000)
      await turns(host)
    }
    expect(flow.calls.slice(begun)).toEqual(Array(3).fill(': still here\n\n'))
    flow.abort()
    expect(host.timers).toBe(0)
    await host.advance(5000)
    expect(flow.calls).toHaveLength(begun + 3)
  })

  it('demo-stall without a stream goes silent within the body', async () => {
    const host = createTestHost()
    const { calls } = watch(host, whole('demo-stall'))
    await turns(host)
    expect(calls).toHaveLength(2)
    expect(isJson(calls[1] ?? '')).toBe(false)
    expect(host.timers).toBe(0)
  })
})

describe('flow', () => {
  it('nothing is called back before the transport has returned', () => {
    expect(watch(createTestHost(), whole('demo')).calls).toEqual([])
  })

  it('paused, nothing comes; resumed, it goes on where it was', async () => {
    const host = createTestHost()
    const free = watch(host, stream('demo'))
    const held = watch(host, stream('demo'), (flow, calls) => {
      if (calls.length === 2) flow.pause()
    })
    await turns(host)
    expect(free.calls.at(-1)).toBe('end')
    expect(held.calls).toHaveLength(2)
    held.resume()
    held.resume()
    await turns(host)
    expect(held.calls).toEqual(free.calls)
  })

  it('a receiver that pauses and resumes within a call gets each piece once', async () => {
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
    await turns(host)
    expect(nervous.calls).toEqual(free.calls)
    expect(paced.calls).toEqual(['head 200'])
  })

  it('a pause holds what a timer brings', async () => {
    const host = createTestHost()
    const flow = watch(host, stream('demo-slow'))
    await turns(host)
    flow.pause()
    await runOut(host)
    expect(flow.calls).toEqual(['head 200'])
    expect(host.timers).toBe(0)
    flow.resume()
    await runOut(host)
    expect(flow.calls.at(-1)).toBe('end')
  })

  it.each([0, 1, 2, 3])('aborted after %i calls, no other comes', async after => {
    const host = createTestHost()
    const flow = watch(host, stream('demo'), (own, calls) => {
      if (calls.length === after) own.abort()
    })
    if (after === 0) flow.abort()
    await turns(host)
    expect(flow.calls).toHaveLength(after)
    flow.resume()
    await turns(host)
    expect(flow.calls).toHaveLength(after)
  })

  it('small pieces travel together when nothing paces them', async () => {
    const { chunks, text } = await ask({ ...stream('demo'), tools: [] })
    expect(eventsOf(text).length).toBeGreaterThan(40)
    expect(chunks.length).toBeLessThan(eventsOf(text).length / 10)
  })
})
