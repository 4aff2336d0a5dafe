/** The functions of a step belong to the program and may do anything: throw any value, or never settle. */
import { describe, expect, test } from 'vitest'
import { callOf, type StepModel, stepModel } from '../../../../test/support/step-model.ts'
import { createTestHost } from '../testing/test-host.ts'
import { defineStep } from './define-step.ts'
import { defineFlow } from './flow.ts'
import { runFlow } from './run-flow.ts'
import { runStep } from './run-step.ts'
import type { StepConfig } from './step.ts'

const outputSchema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } as const
const never = (): Promise<never> => new Promise(() => {})
const model = (): StepModel => stepModel(callOf('s', { a: 1 }))
const stepWith = (more: Partial<StepConfig>) => defineStep({ name: 's', outputSchema, ...more })

describe('abort', () => {
  test.each<[string, Partial<StepConfig>]>([
    ['sanitizeInput', { sanitizeInput: never }],
    ['instructions', { instructions: never }],
    ['prompt', { prompt: never }],
    ['sanitizeOutput', { sanitizeOutput: never }],
    ['an audit', { audits: [{ name: 'slow', audit: never }] }],
    ['passes', { passes: never }],
  ])('An abort ends a step at once, although %s never ends.', async (_, more) => {
    const host = createTestHost()
    const stop = host.createAbort()
    const running = runStep(stepWith(more), 'x', { model: model(), signal: stop.signal })
    await host.settle()
    stop.abort('enough')
    expect(await running).toMatchObject({ ok: false, error: { code: 'cancelled', cause: 'enough' } })
    expect(host.listeners).toBe(0)
  })

  test('An abort ends a step at once, although the model never answers.', async () => {
    const host = createTestHost()
    const stop = host.createAbort()
    const running = runStep(stepWith({}), 'x', { model: { ask: never }, signal: stop.signal })
    await host.settle()
    stop.abort()
    expect(await running).toMatchObject({ error: { code: 'cancelled' }, attempts: [{ number: 1 }] })
    expect(host.listeners).toBe(0)
  })

  test('An abort ends a flow at once, although the input of the next step never arrives.', async () => {
    const host = createTestHost()
    const stop = host.createAbort()
    const second = defineStep({ name: 'second', outputSchema, stopOnFailure: false })
    const flow = defineFlow<string>('f').step(stepWith({})).step(second, { input: never })
    const running = runFlow(flow, 'x', { model: model(), signal: stop.signal })
    await host.settle()
    stop.abort()
    expect(await running).toMatchObject({ ok: false, failed: ['second'], error: { code: 'cancelled' } })
    expect(host.listeners).toBe(0)
  })

  test('After an abort nothing of a step is run.', async () => {
    const host = createTestHost()
    const stop = host.createAbort()
    stop.abort()
    const prompt = (): never => {
      throw new Error('was run')
    }
    const result = await runStep(stepWith({ prompt }), 'x', { model: model(), signal: stop.signal })
    expect(result).toMatchObject({ error: { code: 'cancelled' }, attempts: [] })
  })
})

describe('thrown values that cannot be converted to a string', () => {
  const odd: unknown = Object.create(null)
  const fail = (): never => {
    throw odd
  }
  test.each<[string, Partial<StepConfig>, string]>([
    ['sanitizeInput', { sanitizeInput: fail }, 'input_error'],
    ['prompt', { prompt: fail }, 'input_error'],
    ['sanitizeOutput', { sanitizeOutput: fail }, 'sanitizer_error'],
    ['an audit', { audits: [{ name: 'odd', audit: fail }] }, 'audit_error'],
  ])(
    'A thrown value that cannot be converted to a string is a result if it comes from %s.',
    async (_, more, code) => {
      const result = await runStep(stepWith(more), 'x', { model: model() })
      expect(result.error).toMatchObject({
        code,
        cause: odd,
        message: expect.stringContaining('no reason was given.'),
      })
    },
  )

  test('A thrown value that cannot be converted to a string is a result if it comes from the model.', async () => {
    const result = await runStep(stepWith({}), 'x', { model: { ask: fail } })
    expect(result.error).toMatchObject({ code: 'model_failed', cause: odd })
  })
})

test('A listener that fails later changes nothing.', async () => {
  const onEvent = async (): Promise<void> => {
    throw new Error('not my business')
  }
  expect(await runStep(stepWith({}), 'x', { model: model(), onEvent })).toMatchObject({ ok: true })
  const flow = defineFlow<string>('f').step(stepWith({}))
  expect(await runFlow(flow, 'x', { model: model(), onEvent })).toMatchObject({ ok: true })
})

test('A number that JavaScript cannot represent is requested again, and never replaced by another.', async () => {
  const model = stepModel(callOf('s', '{"a":12345678901234567891}'), callOf('s', '{"a":7}'))
  const result = await runStep(stepWith({}), 'x', { model })
  expect(result).toMatchObject({ ok: true, output: { a: 7 } })
  expect(result.attempts[0]?.error).toMatchObject({
    code: 'invalid_json',
    message: expect.stringContaining('the number 12345678901234567891 is too large to be taken exactly'),
  })
})
