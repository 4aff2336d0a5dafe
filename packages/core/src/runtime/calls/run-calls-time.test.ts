/** Deadlines, cancellation and retries, on a clock that the test controls. */
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createTestHost, type TestHost } from '../../testing/test-host.ts'
import { FatalToolError } from '../errors.ts'
import type { Signal } from '../host.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { ToolContext, ToolSpec } from '../tools/tool-spec.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'
import { runCallsWith } from './run-calls.ts'
import type { CallEvent } from './run-options.ts'
import { start } from './start-calls.test-helper.ts'

const callsOf = (...names: string[]): ToolCall[] =>
  names.map((name, index) => ({ id: `c${index}`, name, arguments: '' }))
const codes = (outcomes: readonly CallOutcome[]): string[] =>
  outcomes.map(({ status, error }) => (error === undefined ? status : `${status}/${error.code}`))

/** A tool that takes the given time, and whose handler stops when its signal aborts. */
function sleeper(host: TestHost, name: string, ms: number, facts: Partial<ToolSpec> = {}): ToolSpec {
  const tool = defineTool({
    name,
    handler: (_, { signal }) =>
      new Promise<string>((resolve, reject) => {
        const clear = host.after(ms, () => resolve(`${name} at ${host.now()}`))
        const stop = (): void => {
          clear()
          signal.removeEventListener('abort', stop)
          reject(signal.reason)
        }
        signal.addEventListener('abort', stop, { once: true })
      }),
  })
  return { ...tool, ...facts }
}
const never = (name: string): ToolSpec => defineTool({ name, handler: () => new Promise(() => {}) })
const fatal = defineTool({
  name: 'fatal',
  handler: () => {
    throw new FatalToolError('The account is closed')
  },
})

describe('deadlines', () => {
  test('A call that never settles ends at its deadline, and the others are unaffected. [S002.18]', async () => {
    const host = createTestHost()
    const tools = [never('never'), sleeper(host, 'quick', 10), { ...never('short'), timeoutMs: 50 }]
    const run = await start(host, callsOf('never', 'quick', 'short'), { tools, timeoutMs: 1000 })
    await host.advance(999)
    expect(run.outcomes).toBeUndefined()
    await host.advance(1)
    expect(codes(run.outcomes ?? [])).toEqual(['timed_out/timeout', 'ok', 'timed_out/timeout'])
    expect(run.outcomes?.map(({ durationMs }) => durationMs)).toEqual([1000, 10, 50])
    expect(host.timers).toBe(0)
  })

  test('The default timeout of a tool is 120 seconds.', async () => {
    const host = createTestHost()
    const run = await start(host, callsOf('never'), { tools: [never('never')] })
    await host.advance(119_999)
    expect(run.outcomes).toBeUndefined()
    await host.advance(1)
    expect(run.outcomes?.[0]?.error?.message).toMatch(/did not finish within 120000 ms/)
  })

  test('What a handler does after its deadline is ignored.', async () => {
    const host = createTestHost()
    const events: CallEvent[] = []
    const late = defineTool({
      name: 'late',
      handler: (_, { progress }) =>
        new Promise((_resolve, reject) => {
          host.after(500, () => {
            progress('too late')
            reject(new Error('late'))
          })
        }),
    })
    const run = await start(host, callsOf('late'), {
      tools: [late],
      timeoutMs: 100,
      onEvent: event => void events.push(event),
    })
    await host.runAll()
    expect(codes(run.outcomes ?? [])).toEqual(['timed_out/timeout'])
    expect(events.map(({ type }) => type)).toEqual(['call-started', 'call-finished'])
  })

  test('The abort reason of the handler says why it must stop.', async () => {
    const host = createTestHost()
    let signal: Signal | undefined
    const tool = defineTool({
      name: 'watch',
      handler(_, context) {
        signal = context.signal
        return new Promise(() => {})
      },
    })
    await start(host, callsOf('watch'), { tools: [tool], timeoutMs: 5 })
    expect(signal?.aborted).toBe(false)
    await host.advance(5)
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' })
  })

  test('A check of arguments or results that never settles is ended.', async () => {
    const host = createTestHost()
    const endless = { validateArguments: () => new Promise<never>(() => {}) }
    const tools = [
      { ...sleeper(host, 'args', 1), ...endless },
      { ...sleeper(host, 'result', 1), validateResult: endless.validateArguments },
    ]
    const run = await start(host, callsOf('args', 'result'), { tools, timeoutMs: 100 })
    await host.runAll()
    expect(codes(run.outcomes ?? [])).toEqual(['timed_out/timeout', 'timed_out/timeout'])
    expect(run.outcomes?.map(({ attempts }) => attempts)).toEqual([0, 1])
  })

  test('When a batch times out, calls that never started are distinguished from those that ran. [field G09]', async () => {
    const host = createTestHost()
    const tools = [never('never'), sleeper(host, 'quick', 10)]
    const run = await start(host, callsOf('quick', 'never', 'never', 'quick'), {
      tools,
      concurrency: 2,
      batchTimeoutMs: 100,
    })
    await host.advance(100)
    expect(codes(run.outcomes ?? [])).toEqual([
      'ok',
      'timed_out/batch_timeout',
      'timed_out/batch_timeout',
      'not_started/not_started',
    ])
    expect(run.outcomes?.[3]).toMatchObject({ attempts: 0, durationMs: 0, isError: true })
  })
})

describe('cancellation', () => {
  test('An abort cancels running calls, does not start the rest, and returns at once.', async () => {
    const host = createTestHost()
    const { signal, abort } = host.createAbort()
    const tools = [never('never'), sleeper(host, 'slow', 1000)]
    const run = await start(host, callsOf('never', 'slow', 'slow'), { tools, signal, concurrency: 2 })
    abort(new Error('enough'))
    await host.settle()
    expect(codes(run.outcomes ?? [])).toEqual([
      'cancelled/cancelled',
      'cancelled/cancelled',
      'not_started/not_started',
    ])
    expect(run.outcomes?.[0]?.error?.cause).toMatchObject({ message: 'enough' })
    expect([host.timers, host.listeners]).toEqual([0, 0])
  })

  test('Nothing starts if the signal was aborted before.', async () => {
    const host = createTestHost()
    const { signal, abort } = host.createAbort()
    abort()
    let ran = 0
    const tools = [defineTool({ name: 'count', handler: () => ++ran, needsApproval: true })]
    const run = await start(host, callsOf('count'), { tools, signal, approve: () => ++ran > 0 })
    expect(codes(run.outcomes ?? [])).toEqual(['not_started/not_started'])
    expect(ran).toBe(0)
  })

  test('The batch leaves no timer behind.', async () => {
    const host = createTestHost()
    const run = await start(host, callsOf('quick'), {
      tools: [sleeper(host, 'quick', 5)],
      batchTimeoutMs: 100,
    })
    await host.advance(5)
    expect(codes(run.outcomes ?? [])).toEqual(['ok'])
    expect(host.timers).toBe(0)
  })

  test('A fatal failure of one call stops all others.', async () => {
    const host = createTestHost()
    const tools = [never('never'), fatal, sleeper(host, 'slow', 10)]
    const run = await start(host, callsOf('never', 'fatal', 'slow', 'slow'), { tools, concurrency: 2 })
    expect(codes(run.outcomes ?? [])).toEqual([
      'cancelled/cancelled',
      'failed/fatal_error',
      'not_started/not_started',
      'not_started/not_started',
    ])
    expect(run.outcomes?.map(outcome => outcome.fatal)).toEqual([false, true, false, false])
    expect(host.timers).toBe(0)
  })
})

describe('retries', () => {
  const flaky = (failures: number, facts: Partial<ToolSpec>): { tool: ToolSpec; seen: ToolContext[] } => {
    const seen: ToolContext[] = []
    const tool = defineTool({
      name: 'flaky',
      handler(args, context) {
        seen.push(context)
        const { list } = args as { list: number[] }
        list.push(0)
        if (seen.length <= failures) throw new Error(`failure ${seen.length}`)
        return list
      },
    })
    return { tool: { ...tool, ...facts }, seen }
  }
  const calls = [{ id: 'c', name: 'flaky', arguments: '{"list":[1]}' }]
  const retries = { attempts: 3, baseMs: 100, maxMs: 150 }

  test('An idempotent tool is retried with one key and with the arguments as the model wrote them.', async () => {
    const host = createTestHost()
    const events: CallEvent[] = []
    const { tool, seen } = flaky(2, { idempotent: true })
    const run = await start(host, calls, {
      tools: [tool],
      retries,
      onEvent: event => void events.push(event),
    })
    await host.runAll()
    expect(run.outcomes?.[0]).toMatchObject({ status: 'ok', attempts: 3, value: [1, 0] })
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    const waits = events.flatMap(event => (event.type === 'call-retry' ? [event.delayMs] : []))
    expect(waits).toHaveLength(2)
    expect(waits[0]).toBeLessThan(100)
    expect(waits[1]).toBeLessThan(150)
    expect(run.outcomes?.[0]?.durationMs).toBeCloseTo((waits[0] ?? 0) + (waits[1] ?? 0))
  })

  test('A retry uses the repaired arguments and does not repair again.', async () => {
    const host = createTestHost()
    const { tool } = flaky(2, { idempotent: true })
    let repairs = 0
    const repairArguments = (): string => {
      repairs += 1
      if (repairs > 1) throw new Error('repaired already')
      return '{"list":[1]}'
    }
    const bad = [{ id: 'c', name: 'flaky', arguments: '{list:[1]}' }]
    const run = await start(host, bad, { tools: [tool], retries, repairArguments })
    await host.runAll()
    expect(run.outcomes?.[0]).toMatchObject({ status: 'ok', attempts: 3, value: [1, 0], repaired: true })
  })

  test('The wait before a retry is drawn anew each time, from zero up to the bound.', async () => {
    const waitWith = async (chance: number): Promise<number | undefined> => {
      const host = { ...createTestHost(), random: () => chance }
      const { tool } = flaky(1, { idempotent: true })
      const waits: number[] = []
      const onEvent = (event: CallEvent): void => {
        if (event.type === 'call-retry') waits.push(event.delayMs)
      }
      const running = runCallsWith(host, calls, { tools: [tool], retries, onEvent })
      await host.runAll()
      await running
      return waits[0]
    }
    expect(await waitWith(0)).toBe(0)
    expect(await waitWith(0.5)).toBe(50)
  })

  test('A tool that is not idempotent is not retried.', async () => {
    for (const facts of [{}, { idempotent: false }]) {
      const host = createTestHost()
      const { tool, seen } = flaky(2, facts)
      const run = await start(host, calls, { tools: [tool], retries })
      expect(run.outcomes?.[0]).toMatchObject({ status: 'failed', attempts: 1 })
      expect(seen).toHaveLength(1)
    }
  })

  test('A fatal failure is not retried.', async () => {
    const host = createTestHost()
    const run = await start(host, callsOf('fatal'), { tools: [{ ...fatal, idempotent: true }], retries })
    await host.runAll()
    expect(run.outcomes?.[0]).toMatchObject({ fatal: true, attempts: 1 })
  })

  test('The deadline covers all attempts, and a cancellation ends the wait between them.', async () => {
    const host = createTestHost()
    const { tool } = flaky(99, { idempotent: true, timeoutMs: 10 })
    const patient = { attempts: 5, baseMs: 1e6, maxMs: 1e6 }
    const run = await start(host, calls, { tools: [tool], retries: patient })
    await host.advance(10)
    expect(codes(run.outcomes ?? [])).toEqual(['timed_out/timeout'])
    expect(run.outcomes?.[0]?.error?.message).toContain('The attempt before failed: failure 1')
    const { signal, abort } = host.createAbort()
    const other = await start(host, calls, { tools: [tool], retries: patient, signal })
    abort()
    await host.settle()
    expect(codes(other.outcomes ?? [])).toEqual(['cancelled/cancelled'])
    expect([host.timers, host.listeners]).toEqual([0, 0])
  })
})

describe('the context of a handler', () => {
  test('The context is typed in a definition, and is present when a handler is called directly.', () => {
    const tool = defineTool({
      name: 'typed',
      parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      handler({ a }, context) {
        expectTypeOf(context).toEqualTypeOf<ToolContext>()
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
        context.progress(a)
        return `${context.name} ${context.attempt} ${context.signal.aborted}`
      },
    })
    expectTypeOf(tool.handler).parameter(1).toEqualTypeOf<ToolContext | undefined>()
    expect(tool.handler({ a: 1 })).toBe('typed 1 false')
    const one: ToolSpec = defineTool({ name: 'one', handler: () => 1 })
    expect(one.handler?.({})).toBe(1)
    // @ts-expect-error a handler cannot require another context
    defineTool({ name: 'other', handler: (_args: object, _context: { database: string }) => 1 })
  })
})
