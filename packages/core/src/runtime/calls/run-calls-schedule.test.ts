/** The laws of a run, with random tools, schedules and failures, on a clock that the test controls. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestHost, type TestHost } from '../../testing/test-host.ts'
import { FatalToolError } from '../errors.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'
import { runCallsWith } from './run-calls.ts'
import type { CallEvent } from './run-options.ts'

interface Plan {
  readonly parallel: boolean | undefined
  readonly ms: number
  readonly ends: 'returns' | 'throws' | 'rejects' | 'fatal' | 'never'
  readonly hearsSignal: boolean
  readonly timeoutMs: number | undefined
  readonly idempotent: boolean
  readonly needsApproval: boolean
}

const plan: fc.Arbitrary<Plan> = fc.record({
  parallel: fc.constantFrom(undefined, true, false),
  ms: fc.integer({ min: 0, max: 60 }),
  ends: fc.oneof(
    { weight: 6, arbitrary: fc.constant('returns' as const) },
    { weight: 2, arbitrary: fc.constantFrom('throws' as const, 'rejects' as const, 'never' as const) },
    { weight: 1, arbitrary: fc.constant('fatal' as const) },
  ),
  hearsSignal: fc.boolean(),
  timeoutMs: fc.option(fc.integer({ min: 1, max: 80 }), { nil: undefined }),
  idempotent: fc.boolean(),
  needsApproval: fc.boolean(),
})

const schedule = fc.record({
  plans: fc.array(plan, { maxLength: 12 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  abortAt: fc.option(fc.integer({ min: 0, max: 150 }), { nil: undefined }),
  batchTimeoutMs: fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined }),
  attempts: fc.integer({ min: 1, max: 3 }),
  seed: fc.integer(),
})

/** Records which calls run at the same time. A handler that ignores its signal no longer counts once its call has ended. */
interface Watch {
  /** Handlers that have not settled. */
  readonly working: Set<number>
  readonly running: Set<number>
  readonly faults: string[]
  readonly started: number[]
}

function toolOf(
  host: TestHost,
  { ms, ends, hearsSignal, ...facts }: Plan,
  index: number,
  watch: Watch,
): ToolSpec {
  const { timeoutMs, parallel, ...rest } = facts
  return defineTool({
    name: `t${index}`,
    ...rest,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(parallel !== undefined && { parallel }),
    handler(_, { signal, attempt }) {
      if (attempt === 1) watch.started.push(index)
      if (signal.aborted) watch.faults.push(`t${index} started after its end`)
      if (ends === 'throws') throw new Error('thrown')
      watch.working.add(index)
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          watch.working.delete(index)
          signal.removeEventListener('abort', stop)
          if (ends === 'rejects') reject(new Error('rejected'))
          else if (ends === 'fatal') reject(new FatalToolError('fatal'))
          else resolve(index)
        }
        const clear = ends === 'never' ? () => {} : host.after(ms, settle)
        const stop = (): void => {
          signal.removeEventListener('abort', stop)
          clear()
          watch.working.delete(index)
          reject(signal.reason)
        }
        if (hearsSignal) signal.addEventListener('abort', stop)
      })
    },
  })
}

function watchEvents(watch: Watch, plans: readonly Plan[], concurrency: number, finished: string[]) {
  return (event: CallEvent): void => {
    const index = Number(event.call.id)
    const { running, faults } = watch
    if (event.type === 'call-started') {
      const alone = plans[index]?.parallel === false
      const beside = [...running].filter(other => alone || plans[other]?.parallel === false)
      if (beside.length > 0) faults.push(`${index} ran beside ${beside}`)
      running.add(index)
      if (running.size > concurrency) faults.push(`${running.size} ran at once`)
    }
    if (event.type === 'call-finished') {
      running.delete(index)
      finished.push(event.call.id)
    }
  }
}

test('Every call gets one outcome in order, limits hold, and nothing is left behind. [S002.10] [S002.18]', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async ({ plans, concurrency, abortAt, batchTimeoutMs, attempts, seed }) => {
      const host = createTestHost({ seed })
      const watch: Watch = { working: new Set(), running: new Set(), faults: [], started: [] }
      const finished: string[] = []
      const calls: ToolCall[] = plans.map((_, index) => ({
        id: String(index),
        name: `t${index}`,
        arguments: '{}',
      }))
      const { signal, abort } = host.createAbort()
      if (abortAt !== undefined) host.after(abortAt, () => abort('enough'))
      let outcomes: CallOutcome[] | undefined
      let endedAt = Number.POSITIVE_INFINITY
      let left: number[] = []
      void runCallsWith(host, calls, {
        tools: plans.map((one, index) => toolOf(host, one, index, watch)),
        signal,
        concurrency,
        timeoutMs: 100,
        retries: { attempts, baseMs: 20, maxMs: 30 },
        ...(batchTimeoutMs !== undefined && { batchTimeoutMs }),
        approve: () => new Promise(resolve => void host.after(3, () => resolve(true))),
        onEvent: watchEvents(watch, plans, concurrency, finished),
      }).then(found => {
        outcomes = found
        endedAt = host.now()
        left = [...watch.working].filter(index => plans[index]?.hearsSignal)
      })
      await host.runAll()

      expect(outcomes?.map(({ call }) => call)).toEqual(calls)
      expect(finished.toSorted()).toEqual(calls.map(({ id }) => id).toSorted())
      expect(watch.faults).toEqual([])
      expect(left).toEqual([])
      expect([host.timers, host.listeners]).toEqual([0, 0])
      for (const end of [abortAt, batchTimeoutMs])
        if (end !== undefined && plans.length > 0) expect(endedAt).toBeLessThanOrEqual(end)
      for (const [index, outcome] of (outcomes ?? []).entries()) checkOutcome(outcome, index, watch)
      // Calls that run alone are barriers: no other call overtakes them.
      for (const [position, index] of watch.started.entries()) {
        const later = watch.started.slice(position + 1)
        const overtaken = later.filter(
          other => other < index && [other, index].some(i => plans[i]?.parallel === false),
        )
        expect(overtaken).toEqual([])
      }
    }),
  )
})

function checkOutcome(outcome: CallOutcome, index: number, watch: Watch): void {
  expect(outcome.content.length).toBeGreaterThan(0)
  expect(outcome.isError).toBe(outcome.status !== 'ok')
  expect(outcome.attempts > 0).toBe(watch.started.includes(index))
  if (outcome.status === 'not_started') expect(outcome.attempts).toBe(0)
  if (outcome.status === 'cancelled') expect(outcome.attempts).toBeGreaterThan(0)
  if (outcome.status === 'ok') expect(outcome.value).toBe(index)
}

test('As many calls run at once as allowed, and exclusive ones run alone.', async () => {
  const host = createTestHost()
  const log: string[] = []
  const tool = (name: string, ms: number, parallel?: boolean): ToolSpec =>
    defineTool({
      name,
      parallel,
      handler: () => {
        log.push(`${host.now()} ${name}`)
        return new Promise(resolve => void host.after(ms, () => resolve(name)))
      },
    })
  const tools = [tool('a', 30), tool('b', 10), tool('c', 10, true), tool('alone', 5, false), tool('d', 5)]
  const calls = ['a', 'b', 'c', 'alone', 'd', 'b'].map((name, id) => ({ id: `${id}`, name, arguments: '' }))
  const running = runCallsWith(host, calls, { tools, concurrency: 2 })
  await host.runAll()
  expect((await running).map(({ value }) => value)).toEqual(['a', 'b', 'c', 'alone', 'd', 'b'])
  expect(log).toEqual(['0 a', '0 b', '10 c', '30 alone', '35 d', '35 b'])
})
