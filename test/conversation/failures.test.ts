/** What ends a conversation from outside: errors of servers and connections, aborts, the clock. */
import { describe, expect, test } from 'vitest'
import { runConversation } from '../../packages/core/src/run-conversation.ts'
import { ModelError } from '../../packages/core/src/runtime/conversation/model-port.ts'
import { FatalToolError } from '../../packages/core/src/runtime/errors.ts'
import { defineTool } from '../../packages/core/src/runtime/tools/define-tool.ts'
import { createTestHost } from '../../packages/core/src/testing/test-host.ts'
import { asking, historyOf, native, resultsOf, speaker, streamed, wires } from './native.ts'

const never = (): Promise<never> => new Promise(() => {})
const slow = defineTool({ name: 'slow', description: 'Never ends.', handler: never })
const quick = defineTool({ name: 'quick', description: 'Ends at once.', handler: () => 'done' })
const fatal = defineTool({
  name: 'fatal',
  description: 'Ends everything.',
  handler: () => {
    throw new FatalToolError('the disk is gone')
  },
})
const calling = (...names: string[]) => ({
  calls: names.map((name, i) => ({ id: `call_${i}`, name, input: {} })),
})
const ways = wires.flatMap(wire => [false, true].map(stream => ({ wire, stream })))

describe.each(ways)('on $wire, streamed: $stream', ({ wire, stream }) => {
  const common = { wire, stream, request: asking(wire, 'Go.'), tools: [slow, quick, fatal] }

  test('An abort during a request adds nothing, and the next run repeats it.', async () => {
    const host = createTestHost()
    const user = host.createAbort()
    let given: { readonly aborted: boolean } | undefined
    const running = runConversation({
      ...common,
      host,
      signal: user.signal,
      send(_, { signal }) {
        given = signal
        return never()
      },
    })
    await host.settle()
    user.abort()
    const stopped = await running
    expect(stopped).toMatchObject({ reason: 'aborted', rounds: 0 })
    expect(given?.aborted).toBe(true)
    expect(host).toMatchObject({ timers: 0, listeners: 0 })
    const model = speaker(wire, [{ text: 'Here.' }])
    const ended = await runConversation({ state: stopped.state, stream, send: model.send })
    expect(ended.reason).toBe('answer')
    expect(historyOf(model.asked[0] ?? {})).toHaveLength(1)
  })

  test('A listener that fails, at once or later, changes nothing.', async () => {
    const send = speaker(wire, [calling('quick'), { text: 'Done.' }]).send
    const onEvent = async (): Promise<void> => {
      throw new Error('not my business')
    }
    expect((await runConversation({ ...common, send, onEvent })).reason).toBe('answer')
  })

  test('An answer that arrives after the abort is ignored.', async () => {
    const host = createTestHost()
    const user = host.createAbort()
    const events: string[] = []
    let answer: (given: unknown) => void = () => {}
    const running = runConversation({
      ...common,
      host,
      signal: user.signal,
      onEvent: ({ type }) => events.push(type),
      send: () => new Promise(resolve => (answer = resolve)),
    })
    await host.settle()
    user.abort()
    expect((await running).reason).toBe('aborted')
    const body = native(wire, { text: 'Too late.' })
    answer(stream ? streamed(wire, body) : body)
    await host.settle()
    expect(events).toEqual(['round-started', 'finished'])
    const asked = runConversation({ ...common, signal: user.signal, send: () => events.push('sent') })
    expect((await asked).reason).toBe('aborted')
    expect(events).not.toContain('sent')
  })

  test('After an abort while tools run, each call has its result.', async () => {
    const host = createTestHost()
    const user = host.createAbort()
    const model = speaker(wire, [calling('slow', 'quick')])
    const running = runConversation({ ...common, host, signal: user.signal, send: model.send })
    await host.settle()
    user.abort()
    const stopped = await running
    expect(stopped.reason).toBe('aborted')
    expect(stopped.outcomes[0]?.map(({ status }) => status)).toEqual(['cancelled', 'ok'])
    expect(resultsOf(stopped.state.request).map(({ id }) => id)).toEqual(['call_0', 'call_1'])
    expect(host).toMatchObject({ timers: 0, listeners: 0 })
  })

  test('A stream or a body that never arrives ends with the timeout.', async () => {
    const host = createTestHost()
    const running = runConversation({ ...common, host, timeoutMs: 1000, send: never })
    await host.advance(1000)
    expect((await running).reason).toBe('timeout')
    expect(host).toMatchObject({ timers: 0, listeners: 0 })
  })

  test('The timeout also ends tools.', async () => {
    const host = createTestHost()
    const model = speaker(wire, [calling('slow')])
    const running = runConversation({ ...common, host, timeoutMs: 1000, send: model.send })
    await host.advance(1000)
    const stopped = await running
    expect(stopped.reason).toBe('timeout')
    expect(resultsOf(stopped.state.request)).toHaveLength(1)
  })

  test('A conversation that ends in time leaves no timer and no listener.', async () => {
    const host = createTestHost()
    const { signal } = host.createAbort()
    const model = speaker(wire, [calling('quick'), { text: 'Done.' }])
    const result = await runConversation({ ...common, host, signal, timeoutMs: 1000, send: model.send })
    expect(result.reason).toBe('answer')
    expect(host).toMatchObject({ timers: 0, listeners: 0 })
  })

  test('A fatal error of a tool stops everything, and every call has its result.', async () => {
    const model = speaker(wire, [calling('fatal', 'quick')])
    const stopped = await runConversation({ ...common, send: model.send })
    expect(stopped).toMatchObject({ reason: 'fatal', error: { message: 'the disk is gone' } })
    expect(resultsOf(stopped.state.request)).toHaveLength(2)
  })

  test('An error of the server is a ModelError, and the next run repeats the request.', async () => {
    const error =
      wire === 'messages'
        ? { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } }
        : {
            error: {
              type: 'rate_limit_error',
              message: 'Slow down.',
              code: 'rate_limit_exceeded',
              param: null,
            },
          }
    const refuse = () => new Response(JSON.stringify(error), { status: 429 })
    const model = speaker(wire, [calling('quick'), refuse])
    const stopped = await runConversation({ ...common, send: model.send })
    expect(stopped).toMatchObject({ reason: 'failed', rounds: 1 })
    expect(stopped.error).toBeInstanceOf(ModelError)
    expect(stopped.error).toMatchObject({
      status: 429,
      kind: 'rate_limit',
      message: 'Slow down.',
      body: error,
    })
    const again = speaker(wire, [{ text: 'Here.' }])
    expect(await runConversation({ state: stopped.state, stream, send: again.send })).toMatchObject({
      reason: 'answer',
      rounds: 2,
    })
    expect(again.asked[0]).toMatchObject(stopped.state.request)
  })

  test('A connection that fails is a ModelError.', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const send = (): never => {
      throw new TypeError('fetch failed', { cause })
    }
    const stopped = await runConversation({ ...common, send })
    expect(stopped.error).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED', message: 'fetch failed' })
  })

  test('A body that is not an answer is a ModelError.', async () => {
    for (const nonsense of [undefined, 7, '<html>no</html>']) {
      const stopped = await runConversation({ ...common, send: () => nonsense })
      expect(stopped).toMatchObject({ reason: 'failed', error: { kind: 'connection' } })
    }
  })
})

describe.each(wires)('streams on %s', wire => {
  const common = { wire, stream: true, request: asking(wire, 'Go.'), tools: [quick] }
  const answer = native(wire, { text: 'Half of it', ...calling('quick') })

  test('A truncated stream fails, keeps its text and runs nothing; the next run repeats the request.', async () => {
    const frames = streamed(wire, answer)
    const stopped = await runConversation({ ...common, send: () => frames.slice(0, -2) })
    expect(stopped).toMatchObject({ reason: 'failed', text: 'Half of it', rounds: 0, outcomes: [] })
    const model = speaker(wire, [{ text: 'All of it.' }])
    const ended = await runConversation({ state: stopped.state, stream: true, send: model.send })
    expect(ended).toMatchObject({ reason: 'answer', text: 'All of it.' })
    expect(historyOf(model.asked[0] ?? {})).toHaveLength(1)
  })

  test('A stream that throws midway fails with what was thrown.', async () => {
    const send = async function* () {
      yield* streamed(wire, answer).slice(0, -2)
      throw new Error('socket hang up')
    }
    const stopped = await runConversation({ ...common, send })
    expect(stopped).toMatchObject({
      reason: 'failed',
      text: 'Half of it',
      error: { message: 'socket hang up' },
    })
  })

  test('An abort ends the wait for a stalled stream, even if it never ends.', async () => {
    const host = createTestHost()
    const user = host.createAbort()
    const send = async function* () {
      yield* streamed(wire, answer).slice(0, 2)
      await never()
    }
    const running = runConversation({ ...common, host, signal: user.signal, send })
    await host.settle()
    user.abort()
    expect((await running).reason).toBe('aborted')
    expect(host).toMatchObject({ timers: 0, listeners: 0 })
  })

  test('A stalled response stream is cancelled, even if its sender ignores the signal.', async () => {
    const host = createTestHost()
    const user = host.createAbort()
    let cancelled = false
    const body = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode(streamed(wire, answer)[0])),
      cancel: () => {
        cancelled = true
      },
    })
    const send = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const running = runConversation({ ...common, host, signal: user.signal, send })
    await host.settle()
    user.abort()
    expect((await running).reason).toBe('aborted')
    expect(cancelled).toBe(true)
  })

  test('A stream of bytes may be cut anywhere.', async () => {
    const bytes = new TextEncoder().encode(streamed(wire, native(wire, { text: 'Grüße, 世界' })).join(''))
    const send = async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte)
    }
    expect(await runConversation({ ...common, send })).toMatchObject({
      reason: 'answer',
      text: 'Grüße, 世界',
    })
  })
})

test('A fatal error may be any object, even one that cannot be converted to a string.', async () => {
  const odd: unknown = Object.assign(Object.create(null), { [Symbol.for('toolwire.fatal')]: true })
  const tool = defineTool({
    name: 'odd',
    handler: () => {
      throw odd
    },
  })
  const send = speaker('chat', [calling('odd')]).send
  const result = await runConversation({ wire: 'chat', request: asking('chat', 'Go.'), tools: [tool], send })
  expect(result).toMatchObject({ reason: 'fatal', error: { cause: odd } })
})
