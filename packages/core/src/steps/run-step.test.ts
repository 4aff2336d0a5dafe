import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  answerOf,
  callOf,
  callPart,
  type StepAnswer,
  stepModel,
  textOf,
  transcriptOf,
} from '../../../../test/support/step-model.ts'
import type { FinishReason } from '../model/answer.ts'
import { defineStep } from './define-step.ts'
import { genericOutput } from './output-schema.ts'
import { runStep } from './run-step.ts'
import { StepError } from './step-error.ts'
import type { StepEvent } from './step-result.ts'

const paletteSchema = {
  type: 'object',
  properties: { colors: { type: 'array', items: { type: 'string' } }, confidence: { type: 'number' } },
  required: ['colors', 'confidence'],
  additionalProperties: false,
} as const
const palette = defineStep({ name: 'palette', outputSchema: paletteSchema })
const good = { colors: ['#112233'], confidence: 0.9 }
const accepted = callOf('palette', good)
const finish = (reason: FinishReason) => ({ finish: { reason } })

describe('failures that the model can correct', () => {
  test.each<[string, StepAnswer, string, string]>([
    [
      'wrong_tool',
      callOf('other', good),
      'call_a failed: Attempt 1 was not accepted. "other" was called instead of "palette".',
      `assistant: call_a other(${JSON.stringify(good)})`,
    ],
    [
      'no_call',
      textOf('Here you go: red.'),
      'Attempt 1 was not accepted. "palette" was not called: Here you go: red.',
      'assistant: Here you go: red.',
    ],
    [
      'invalid_json',
      callOf('palette', '{"colors": ['),
      'Attempt 1 was not accepted. The output is not JSON that can be read.',
      'assistant: {"colors": [',
    ],
    [
      'invalid_output',
      callOf('palette', { colors: [7], confidence: 1 }),
      'The output does not fit the output schema: /colors/0 must be a string, got the number 7.',
      'assistant: call_a palette({"colors":[7],"confidence":1})',
    ],
    [
      'several_calls',
      answerOf([callPart('palette', good), callPart('palette', good, { id: 'call_b' })]),
      'One call was asked for and 2 came: "palette", "palette".',
      'assistant: call_b palette({"colors":["#112233"],"confidence":0.9})',
    ],
  ])(
    'The model gets feedback and another attempt after this failure: %s.',
    async (code, wrong, feedback, replayed) => {
      const model = stepModel(wrong, accepted)
      const result = await runStep(palette, 'Acme', { model })
      expect(result).toMatchObject({ ok: true, output: good })
      expect(result.attempts.map(({ error }) => error?.code)).toEqual([code, undefined])
      const second = transcriptOf(model.requests[1])
      expect(second[0]).toBe('user: Acme')
      expect(second).toContain(replayed)
      expect(second.at(-1)).toContain(feedback)
      expect(second.at(-1)).toMatch(/Call "palette" once, with the complete output as its arguments\.$/)
    },
  )

  test('Every call gets a result, so that the history can be sent.', async () => {
    const model = stepModel(
      answerOf([callPart('palette', good), callPart('palette', good), callPart('x', {})]),
      accepted,
    )
    await runStep(palette, '', { model })
    const parts = model.requests[1]?.turns.flatMap(turn => turn.parts) ?? []
    const ids = parts.flatMap(part => (part.kind === 'call' ? [part.id] : []))
    expect(new Set(ids).size).toBe(3)
    expect(parts.flatMap(part => (part.kind === 'result' ? [part.callId] : []))).toEqual(ids)
  })

  test('Calls with the same id in all attempts, or without one, are distinguished.', async () => {
    const bare = { ...callPart('palette', { colors: 1 }) }
    const { id: _, ...unnamed } = bare
    const model = stepModel(answerOf([bare]), answerOf([bare]), answerOf([unnamed]), accepted)
    const result = await runStep(palette, '', { model })
    expect(result.ok).toBe(true)
    const parts = model.requests[3]?.turns.flatMap(turn => turn.parts) ?? []
    const ids = parts.flatMap(part => (part.kind === 'call' ? [part.id] : []))
    expect(ids).toEqual(['call_a', 'call_a_2_2', 'call_3'])
    expect(parts.flatMap(part => (part.kind === 'result' ? [part.callId] : []))).toEqual(ids)
  })

  test('After the last retry the last error is the result, and nothing is thrown.', async () => {
    const step = defineStep({ name: 'palette', outputSchema: paletteSchema, maxRetries: 2 })
    const model = stepModel(textOf('a'), textOf('b'), textOf('c'))
    const result = await runStep(step, '', { model })
    expect(result.ok).toBe(false)
    expect(result.error).toBeInstanceOf(StepError)
    expect(result.error).toMatchObject({ code: 'no_call', step: 'palette' })
    expect(result.attempts).toHaveLength(3)
  })

  test('A step has three retries by default, and none with maxRetries: 0.', async () => {
    const model = stepModel(...Array.from({ length: 9 }, () => textOf('no')))
    expect((await runStep(palette, '', { model })).attempts).toHaveLength(4)
    const once = defineStep({ name: 'palette', outputSchema: paletteSchema, maxRetries: 0 })
    expect((await runStep(once, '', { model })).attempts).toHaveLength(1)
  })
})

describe('failures that the model cannot correct', () => {
  const half = '{"colors":["#112233"],"confidence":0.9}'
  test.each<[string, string, StepAnswer, string | undefined]>([
    ['length without a call', 'truncated_output', textOf('Let me', finish('length')), undefined],
    [
      'length with a call that happens to parse',
      'truncated_output',
      callOf('palette', half, finish('length')),
      half,
    ],
    ['a stream cut off', 'truncated_output', callOf('palette', half, finish('unfinished')), half],
    [
      'a call that says it is incomplete',
      'truncated_output',
      answerOf([callPart('palette', half, { status: 'incomplete' })]),
      half,
    ],
    ['a refusal', 'refused', answerOf([{ kind: 'refusal', text: 'I cannot.', path: [] }]), undefined],
    ['a refusal by its finish', 'refused', callOf('palette', good, finish('refusal')), undefined],
    ['a filter', 'refused', textOf('', finish('filter')), undefined],
    ['a failed answer', 'model_failed', textOf('', finish('failed')), undefined],
    [
      'an answer with an error',
      'model_failed',
      textOf('', { error: { kind: 'overloaded', message: 'busy' } }),
      undefined,
    ],
    ['a request that could not be sent', 'model_failed', new Error('no route'), undefined],
  ])('A step ends at once after %s, with the code %s.', async (_title, code, answer, raw) => {
    const model = stepModel(answer, accepted)
    const result = await runStep(palette, '', { model })
    expect(result).toMatchObject({ ok: false, error: { code } })
    expect(model.requests).toHaveLength(1)
    expect(result.attempts).toHaveLength(1)
    expect(result.attempts[0]?.raw).toBe(raw)
    expect(result.attempts[0]).not.toHaveProperty('parsed')
    expect(result.attempts[0]).not.toHaveProperty('output')
  })

  test('A terminal failure is retried if alsoRetry names it.', async () => {
    const step = defineStep({
      name: 'palette',
      outputSchema: paletteSchema,
      alsoRetry: ['truncated_output', 'refused', 'model_failed'],
    })
    const thought = { kind: 'reasoning', summary: [], text: ['hm'], path: [] } as const
    const cut = answerOf([thought, callPart('palette', '{"col', { status: 'incomplete' })])
    const refused = answerOf([{ kind: 'refusal', text: 'I cannot.', path: [] }])
    const model = stepModel(cut, refused, new Error('no route'), accepted)
    const result = await runStep(step, 'Acme', { model })
    expect(result.ok).toBe(true)
    expect(transcriptOf(model.requests[3])).toEqual([
      'user: Acme',
      'assistant: {"col',
      expect.stringMatching(/^user: Attempt 1 was cut off before it was complete\..*Keep it shorter\.$/s),
      'assistant: refusal',
      expect.stringMatching(/^user: Attempt 2 was not accepted\. The request was refused: I cannot\./),
    ])
  })
})

describe('the carrier "format"', () => {
  const step = defineStep({ name: 'palette', outputSchema: paletteSchema, carrier: 'format' })

  test('The carrier "format" reads the text, and sends feedback as text.', async () => {
    const model = stepModel(textOf('Sure!'), textOf(''), textOf(JSON.stringify(good)))
    const result = await runStep(step, 'Acme', { model })
    expect(result).toMatchObject({ ok: true, output: good })
    expect(result.attempts.map(({ error }) => error?.code)).toEqual(['invalid_json', 'no_call', undefined])
    expect(transcriptOf(model.requests[1])[1]).toBe('assistant: Sure!')
    expect(transcriptOf(model.requests[1])[2]).toMatch(
      /Answer with the complete output as one JSON object and nothing else\.$/,
    )
  })

  test.each<[string, StepAnswer]>([
    ['truncated_output', textOf('{"colors":[]', finish('length'))],
    ['refused', answerOf([{ kind: 'refusal', text: 'no', path: [] }])],
  ])('An answer in the carrier "format" fails with %s.', async (code, answer) => {
    expect(await runStep(step, '', { model: stepModel(answer) })).toMatchObject({
      ok: false,
      error: { code },
    })
  })
})

describe('sanitizing', () => {
  const withSharps = ({ colors, confidence }: { colors: string[]; confidence: number }) => ({
    colors: colors.map(color => (color.startsWith('#') ? color : `#${color}`)),
    confidence,
  })

  test('A sanitizer changes values, not keys: FFFFFF becomes #FFFFFF. [S004.13] [S004.2] [S004.9]', async () => {
    const seen: unknown[] = []
    const step = defineStep({
      name: 'palette',
      outputSchema: paletteSchema,
      sanitizeOutput: withSharps,
      audits: [
        {
          name: 'see',
          audit(output) {
            seen.push(output)
            return []
          },
        },
      ],
    })
    const model = stepModel(callOf('palette', { colors: ['FFFFFF'], confidence: 1 }))
    const result = await runStep(step, '', { model })
    expect(result).toMatchObject({ ok: true, output: { colors: ['#FFFFFF'], confidence: 1 } })
    expect(result.attempts[0]?.parsed).toEqual({ colors: ['FFFFFF'], confidence: 1 })
    expect(seen).toEqual([{ colors: ['#FFFFFF'], confidence: 1 }])
  })

  test('A sanitizer that works in place does not change the recorded output of the model.', async () => {
    const step = defineStep({
      name: 'palette',
      outputSchema: paletteSchema,
      sanitizeOutput(output) {
        output.colors.push('#000000')
        return output
      },
    })
    const result = await runStep(step, '', { model: stepModel(accepted) })
    expect(result.output?.colors).toEqual(['#112233', '#000000'])
    expect(result.attempts[0]?.parsed).toEqual(good)
  })

  test('A sanitizer that breaks the structure fails the step, and no audit runs. [C21] [S004.2]', async () => {
    const step = defineStep({
      name: 'palette',
      outputSchema: paletteSchema,
      sanitizeOutput: () => ({ colours: [] }) as never,
      audits: [{ name: 'never', audit: () => Promise.reject(new Error('was run')) }],
    })
    const model = stepModel(accepted, accepted)
    const result = await runStep(step, '', { model })
    expect(result).toMatchObject({ ok: false, error: { code: 'sanitizer_broke_output' } })
    expect(result.error?.message).toContain('What "sanitizeOutput" returned does not fit the output schema')
    expect(result.error?.violations.map(({ message }) => message)).toContain(
      'missing required property "colors"',
    )
    expect(model.requests).toHaveLength(1)
  })

  test('An output that does not fit the schema never reaches the sanitizer. [C21]', async () => {
    const step = defineStep({
      name: 'palette',
      outputSchema: paletteSchema,
      maxRetries: 0,
      sanitizeOutput: () => {
        throw new Error('was run')
      },
    })
    const model = stepModel(callOf('palette', { colors: 'red' }), accepted)
    expect(await runStep(step, '', { model })).toMatchObject({ error: { code: 'invalid_output' } })
    expect(await runStep(step, '', { model })).toMatchObject({ error: { code: 'sanitizer_error' } })
  })

  test('With a Standard Schema the sanitizer gets what the model wrote, and the audits the transformed value.', async () => {
    const step = defineStep({
      name: 'day',
      outputSchema: z.object({
        at: z.string().transform(text => text.length),
        unit: z.string().default('days'),
      }),
      sanitizeOutput: output => ({ ...output, at: output.at.trim() }),
      audits: [
        {
          name: 'length',
          audit: ({ at, unit }) =>
            at === 3 && unit === 'days' ? [] : [{ severity: 'high', description: 'no' }],
        },
      ],
    })
    const result = await runStep(step, '', { model: stepModel(callOf('day', { at: ' abc ', unit: null })) })
    expect(result).toMatchObject({ ok: true, output: { at: 3, unit: 'days' } })
  })

  test('The issues of a Standard Schema are reported with their paths.', async () => {
    const step = defineStep({ name: 's', outputSchema: z.object({ n: z.array(z.number()) }), maxRetries: 0 })
    const result = await runStep(step, '', { model: stepModel(callOf('s', { n: [1, 'x'] })) })
    expect(result.error?.violations[0]).toMatchObject({ path: '/n/1' })
  })
})

describe('the run', () => {
  test('Usage is recorded per attempt and added up.', async () => {
    const model = stepModel(
      textOf('no', { usage: { input: 10, output: 2, cacheRead: 5 } }),
      textOf('no'),
      callOf('palette', good, { usage: { input: 20, output: 4, reasoning: 3 } }),
    )
    const result = await runStep(palette, '', { model })
    expect(result.attempts.map(({ usage }) => usage?.input)).toEqual([10, undefined, 20])
    expect(result.usage).toEqual({ input: 30, output: 6, cacheRead: 5, reasoning: 3 })
  })

  test('Events report what happens, and a listener that throws changes nothing.', async () => {
    const events: StepEvent[] = []
    const onEvent = (event: StepEvent): void => {
      events.push(event)
      throw new Error('listener')
    }
    const result = await runStep(palette, '', { model: stepModel(textOf('no'), accepted), onEvent })
    expect(events.map(({ type }) => type)).toEqual([
      'step-started',
      'attempt-started',
      'retry',
      'attempt-started',
      'step-finished',
    ])
    expect(events.at(-1)).toEqual({ type: 'step-finished', step: 'palette', result })
  })

  test('An abort before or during the request is "cancelled", without a retry.', async () => {
    const before = new AbortController()
    before.abort('enough')
    const model = stepModel(accepted)
    const none = await runStep(palette, '', { model, signal: before.signal })
    expect(none).toMatchObject({ ok: false, error: { code: 'cancelled', cause: 'enough' }, attempts: [] })
    expect(model.requests).toHaveLength(0)
    const during = new AbortController()
    const aborting = stepModel(() => {
      during.abort()
      throw during.signal.reason
    })
    const result = await runStep(palette, '', { model: aborting, signal: during.signal })
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(result.attempts).toHaveLength(1)
  })

  test.each(['prompt', 'instructions', 'sanitizeInput'] as const)(
    'A %s that throws is an input_error.',
    async name => {
      const cause = new Error('bad input')
      const thrower = () => {
        throw cause
      }
      const step = defineStep({ name: 's', outputSchema: genericOutput(), [name]: thrower })
      const model = stepModel()
      const result = await runStep(step, '', { model })
      expect(result).toMatchObject({ ok: false, error: { code: 'input_error', cause }, attempts: [] })
      expect(model.requests).toHaveLength(0)
    },
  )

  test('Wrong arguments of runStep are thrown, with a remedy.', async () => {
    const model = stepModel()
    await expect(runStep({ name: 'x' } as never, '' as never, { model })).rejects.toThrow(
      'The step must come from defineStep(); got an object.',
    )
    await expect(runStep(palette, '', {} as never)).rejects.toThrow('Step "palette": "model" is missing.')
    const later = defineStep({ name: 'later', outputSchema: genericOutput(), includeResults: ['palette'] })
    await expect(runStep(later, '', { model })).rejects.toThrow(
      'Step "later" includes the result of "palette". Give it as "results.palette"',
    )
  })
})
