import { describe, expect, test } from 'vitest'
import { callOf, stepModel, transcriptOf } from '../../../../test/support/step-model.ts'
import { defineStep } from './define-step.ts'
import { genericOutput } from './output-schema.ts'
import { runStep } from './run-step.ts'
import {
  type Attempt,
  type Issue,
  type IssueSeverity,
  issueSeverities,
  type StepEvent,
} from './step-result.ts'

const gave = (result: string) => callOf('s', { result })
const finds = (severity: IssueSeverity) => ({
  name: 'finder',
  audit: (): Issue[] => [{ severity, description: `a ${severity} issue` }],
})

describe('which issues fail', () => {
  const table = issueSeverities.flatMap((filter, least) =>
    issueSeverities.map((found, at) => [filter, found, at < least] as const),
  )

  test.each(table)(
    'With the filter %s, an issue of severity %s passes: %s.',
    async (severityFilter, found, passes) => {
      const audits = [finds(found)]
      const step = defineStep({
        name: 's',
        outputSchema: genericOutput(),
        severityFilter,
        audits,
        maxRetries: 0,
      })
      const result = await runStep(step, '', { model: stepModel(gave('x')) })
      expect(result.ok).toBe(passes)
      expect(result.issues).toEqual([
        { severity: found, description: `a ${found} issue`, audit: 'finder', round: 1 },
      ])
    },
  )

  test('The default severity filter is high.', async () => {
    for (const [found, passes] of [
      ['medium', true],
      ['high', false],
    ] as const) {
      const step = defineStep({
        name: 's',
        outputSchema: genericOutput(),
        audits: [finds(found)],
        maxRetries: 0,
      })
      expect((await runStep(step, '', { model: stepModel(gave('x')) })).ok).toBe(passes)
    }
  })

  test('"passes" decides instead of the filter, both ways, and "failureReason" returns the message.', async () => {
    const step = (passes: boolean, severity: IssueSeverity) =>
      defineStep({
        name: 's',
        outputSchema: genericOutput(),
        audits: [finds(severity)],
        maxRetries: 0,
        passes: async (output, { issues, failing }) =>
          passes && output.result === 'x' && issues.length === 1 && failing.length === 1,
        failureReason: issues => `not good: ${issues.map(({ description }) => description)}`,
      })
    expect(await runStep(step(true, 'critical'), '', { model: stepModel(gave('x')) })).toMatchObject({
      ok: true,
    })
    expect(await runStep(step(false, 'low'), '', { model: stepModel(gave('x')) })).toMatchObject({
      ok: false,
      error: { code: 'audit_failed', message: 'not good: a low issue' },
    })
  })
})

describe('a failed audit', () => {
  test('The model gets every earlier attempt with its own issues, in order.', async () => {
    const step = defineStep({
      name: 's',
      outputSchema: genericOutput(),
      sanitizeOutput: ({ result }) => ({ result: result.trim() }),
      audits: [
        {
          name: 'words',
          audit({ result }): Issue[] {
            if (result === 'right') return []
            return [
              {
                id: `not-${result}`,
                severity: 'high',
                description: `"${result}" is wrong.`,
                context: { got: result },
                suggestions: ['Say something else.'],
              },
              { severity: 'low', description: 'And dull.' },
            ]
          },
        },
      ],
    })
    const model = stepModel(gave(' one '), gave('two'), gave('right'))
    const result = await runStep(step, 'Go', { model })
    expect(result).toMatchObject({ ok: true, output: { result: 'right' }, issues: [] })
    expect(result.attempts.map(({ issues }) => issues.map(({ id, round }) => [id, round]))).toEqual([
      [
        ['not-one', 1],
        [undefined, 1],
      ],
      [
        ['not-two', 2],
        [undefined, 2],
      ],
      [],
    ])
    expect(transcriptOf(model.requests[2])).toEqual([
      'user: Go',
      'assistant: call_a s({"result":" one "})',
      [
        'tool: call_a failed: Attempt 1 was audited and not accepted.',
        'The output as it was audited: {"result":"one"}',
        'Issues:',
        '1. [high] (not-one) "one" is wrong.',
        '   Context: {"got":"one"}',
        '   Suggestion: Say something else.',
        '2. [low] And dull.',
        'Call "s" once, with the complete output as its arguments. Fix these issues, and do not bring back those of earlier attempts.',
      ].join('\n'),
      'assistant: call_a_2_2 s({"result":"two"})',
      expect.stringMatching(
        /^tool: call_a_2_2 failed: Attempt 2 .*1\. \[high\] \(not-two\) "two" is wrong\./s,
      ),
    ])
  })

  test('A failed audit emits an event with its issues.', async () => {
    const events: StepEvent[] = []
    const step = defineStep({
      name: 's',
      outputSchema: genericOutput(),
      audits: [finds('high')],
      maxRetries: 1,
    })
    const model = stepModel(gave('a'), gave('b'))
    const result = await runStep(step, '', { model, onEvent: event => events.push(event) })
    expect(events.map(({ type }) => type)).toEqual([
      'step-started',
      'attempt-started',
      'audit-failed',
      'retry',
      'attempt-started',
      'audit-failed',
      'step-finished',
    ])
    expect(events[2]).toMatchObject({ step: 's', attempt: 1, issues: result.attempts[0]?.issues })
    expect(result.attempts.map(({ output }) => output)).toEqual([{ result: 'a' }, { result: 'b' }])
  })
})

describe('an audit', () => {
  test('An audit gets the input, the number of the attempt, the earlier attempts and earlier results.', async () => {
    const seen: unknown[] = []
    const step = defineStep({
      name: 's',
      outputSchema: genericOutput(),
      maxRetries: 1,
      sanitizeInput: (input: string) => input.trim(),
      audits: [
        {
          name: 'see',
          audit(_output, { input, attempt, earlier, results }): Issue[] {
            seen.push([
              input,
              attempt,
              earlier.map(({ output }: Attempt<{ result: string }>) => output?.result),
              results,
            ])
            return [{ severity: 'high', description: 'again' }]
          },
        },
      ],
    })
    await runStep(step, ' in ', { model: stepModel(gave('a'), gave('b')), results: { before: 1 } })
    expect(seen).toEqual([
      ['in', 1, [], { before: 1 }],
      ['in', 2, ['a'], { before: 1 }],
    ])
  })

  test('An audit that throws is an audit_error without a retry, and the issues found before stay.', async () => {
    const cause = new Error('no connection')
    const broken = { name: 'broken', audit: () => Promise.reject(cause) }
    const step = defineStep({ name: 's', outputSchema: genericOutput(), audits: [finds('low'), broken] })
    const model = stepModel(gave('a'), gave('b'))
    const result = await runStep(step, '', { model })
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: 'audit_error',
        cause,
        message: 'The audit "broken" failed, so the output was not accepted: no connection',
      },
      issues: [{ audit: 'finder' }],
    })
    expect(model.requests).toHaveLength(1)
  })

  test('An audit that fails because of an abort is cancelled.', async () => {
    const stop = new AbortController()
    const audit = (): Issue[] => {
      stop.abort()
      throw stop.signal.reason
    }
    const step = defineStep({ name: 's', outputSchema: genericOutput(), audits: [{ name: 'slow', audit }] })
    const result = await runStep(step, '', { model: stepModel(gave('a')), signal: stop.signal })
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  })

  test('The message of "failureReason" is sent to the model too.', async () => {
    const step = defineStep({
      name: 's',
      outputSchema: genericOutput(),
      audits: [finds('high')],
      maxRetries: 1,
      failureReason: issues => `${issues.length} to go`,
    })
    const model = stepModel(gave('a'), gave('b'))
    expect((await runStep(step, '', { model })).error?.message).toBe('1 to go')
    expect(transcriptOf(model.requests[1]).at(-1)).toContain(
      'not accepted.\n1 to go\nIssues:\n1. [high] a high issue\n',
    )
  })

  test.each([
    [undefined, 'it must return a list of issues; got nothing.'],
    [['text'], 'an issue must be an object; got "text".'],
    [[{ severity: 'dire', description: '' }], 'must be low, medium, high or critical; got "dire".'],
    [
      [{ severity: 'low', description: '', suggestions: 'x' }],
      '"suggestions" must be a list of texts; got "x".',
    ],
    [[{ severity: 'low' }], '"description" must be a text; got nothing.'],
  ])('An audit that returns %j is an audit_error.', async (answer, message) => {
    const audits = [{ name: 'odd', audit: () => answer as unknown as Issue[] }]
    const step = defineStep({ name: 's', outputSchema: genericOutput(), audits })
    const result = await runStep(step, '', { model: stepModel(gave('a')) })
    expect(result.error).toMatchObject({ code: 'audit_error', message: expect.stringContaining(message) })
  })

  test.each([
    [{ passes: (): boolean => 'yes' as unknown as boolean }, '"passes" failed'],
    [
      { passes: (): boolean => false, failureReason: (): string => 1 as unknown as string },
      '"failureReason" failed',
    ],
  ])('A verdict of "passes" that is not a boolean is an audit_error: %j.', async (fields, message) => {
    const step = defineStep({ name: 's', outputSchema: genericOutput(), ...fields })
    const result = await runStep(step, '', { model: stepModel(gave('a')) })
    expect(result.error).toMatchObject({ code: 'audit_error', message: expect.stringContaining(message) })
  })
})
