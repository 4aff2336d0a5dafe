/** Calls of tools with `needsApproval`. */
import { describe, expect, test } from 'vitest'
import { createTestHost } from '../../testing/test-host.ts'
import { FatalToolError } from '../errors.ts'
import type { Signal } from '../host.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'
import type { ApprovalRequest } from './run-options.ts'
import { start } from './start-calls.test-helper.ts'

const codes = (outcomes: readonly CallOutcome[]): string[] =>
  outcomes.map(({ status, error }) => (error === undefined ? status : `${status}/${error.code}`))

describe('approval', () => {
  const careful = defineTool({
    name: 'careful',
    needsApproval: true,
    parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    handler: ({ n }) => n,
  })
  const free = defineTool({ name: 'free', handler: () => 'free' })
  const ask = (n: unknown): ToolCall => ({ id: `n${n}`, name: 'careful', arguments: JSON.stringify({ n }) })

  test('A call that needs approval is denied with a clear text if there is no approve option.', async () => {
    const host = createTestHost()
    const run = await start(host, [ask(1)], { tools: [careful] })
    expect(codes(run.outcomes ?? [])).toEqual(['denied/denied'])
    expect(run.outcomes?.[0]?.error?.message).toContain('nobody can be asked')
  })

  test('Approval is requested one at a time, in the order of the calls and only for valid ones, while others run.', async () => {
    const host = createTestHost()
    const requests: [unknown, number][] = []
    const approve = ({ args }: ApprovalRequest): Promise<boolean> =>
      new Promise(resolve => {
        requests.push([args, host.now()])
        host.after(10, () => resolve((args as { n: number }).n !== 2))
      })
    const calls = [ask(1), ask('bad'), ask(2), { id: 'f', name: 'free', arguments: '' }, ask(3)]
    const run = await start(host, calls, { tools: [careful, free], approve })
    expect(requests).toEqual([[{ n: 1 }, 0]])
    await host.runAll()
    expect(requests).toEqual([
      [{ n: 1 }, 0],
      [{ n: 2 }, 10],
      [{ n: 3 }, 20],
    ])
    expect(codes(run.outcomes ?? [])).toEqual(['ok', 'failed/invalid_arguments', 'denied/denied', 'ok', 'ok'])
  })

  test.each([
    ['a reason', { approved: false, reason: 'too dear' }, 'too dear'],
    ['nothing', undefined, 'was not approved.'],
    ['something like yes', 'yes', 'was not approved.'],
  ])('An approval answered with %s is a refusal.', async (_, answer, text) => {
    const host = createTestHost()
    const run = await start(host, [ask(1)], { tools: [careful], approve: () => answer as never })
    expect(run.outcomes?.[0]).toMatchObject({ status: 'denied', attempts: 0 })
    expect(run.outcomes?.[0]?.error?.message).toContain(text)
  })

  test("The wait for approval does not count towards the tool's timeout.", async () => {
    const host = createTestHost()
    const approve = (): Promise<boolean> => new Promise(resolve => void host.after(5000, () => resolve(true)))
    const run = await start(host, [ask(1)], { tools: [careful], approve, timeoutMs: 10 })
    await host.runAll()
    expect(codes(run.outcomes ?? [])).toEqual(['ok'])
  })

  test('A fatal error of the approval hook ends the conversation.', async () => {
    const host = createTestHost()
    const approve = (): never => {
      throw new FatalToolError('locked')
    }
    const run = await start(host, [ask(1), ask(2)], { tools: [careful], approve })
    expect(codes(run.outcomes ?? [])).toEqual(['failed/fatal_error', 'not_started/not_started'])
  })

  test('An approval hook that fails counts as a refusal.', async () => {
    const host = createTestHost()
    const approve = (): never => {
      throw new Error('secret of the hook')
    }
    const run = await start(host, [ask(1), ask(2)], { tools: [careful], approve })
    expect(codes(run.outcomes ?? [])).toEqual(['denied/denied', 'denied/denied'])
    expect(JSON.stringify(run.outcomes?.[0]?.content)).not.toContain('secret')
  })

  test('An abort ends the wait for approval.', async () => {
    const host = createTestHost()
    const { signal, abort } = host.createAbort()
    const signals: Signal[] = []
    const approve = (request: ApprovalRequest): Promise<boolean> => {
      signals.push(request.signal)
      return new Promise(() => {})
    }
    const run = await start(host, [ask(1), ask(2)], { tools: [careful], approve, signal })
    abort()
    await host.settle()
    expect(codes(run.outcomes ?? [])).toEqual(['not_started/not_started', 'not_started/not_started'])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})
