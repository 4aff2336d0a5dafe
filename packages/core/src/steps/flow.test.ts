import { describe, expect, test } from 'vitest'
import { callOf, stepModel, textOf, transcriptOf } from '../../../../test/support/step-model.ts'
import { defineStep } from './define-step.ts'
import { defineFlow } from './flow.ts'
import { genericOutput } from './output-schema.ts'
import { type FlowEvent, runFlow } from './run-flow.ts'
import type { StepConfig } from './step.ts'

interface Brief {
  readonly brand: string
}

const usage = { input: 10, output: 1 }
const gave = (name: string, result: string) => callOf(name, { result }, { usage })
const textStep = <const Name extends string>(name: Name, more: Partial<StepConfig<object, string>> = {}) =>
  defineStep({ name, outputSchema: genericOutput(), maxRetries: 0, ...more } as StepConfig<
    ReturnType<typeof genericOutput>,
    string,
    Name,
    true
  >)

const palette = defineStep({
  name: 'palette',
  outputSchema: {
    type: 'object',
    properties: { colors: { type: 'array', items: { type: 'string' } } },
    required: ['colors'],
  },
  prompt: (brief: Brief) => `Colours for ${brief.brand}`,
})
const logo = textStep('logo')

describe('a flow', () => {
  const brand = defineFlow<Brief>('brand')
    .step(palette)
    .step(logo, { input: ({ input, results }) => `${input.brand} in ${results.palette.colors.join()}` })

  test('A flow passes the outputs of earlier steps to the inputs of later ones.', async () => {
    const model = stepModel(callOf('palette', { colors: ['#111', '#222'] }, { usage }), gave('logo', 'a cat'))
    const result = await runFlow(brand, { brand: 'Acme' }, { model })
    if (!result.ok) throw result.error
    expect(result.outputs).toEqual({ palette: { colors: ['#111', '#222'] }, logo: { result: 'a cat' } })
    expect(model.requests.map(transcriptOf)).toEqual([
      ['user: Colours for Acme'],
      ['user: Acme in #111,#222'],
    ])
    expect(result).toMatchObject({ flow: 'brand', failed: [], skipped: [], usage: { input: 20, output: 2 } })
    expect(Object.keys(result.steps)).toEqual(['palette', 'logo'])
  })

  test('A flow records every attempt of every step, and adds up their usage.', async () => {
    const model = stepModel(
      textOf('no', { usage }),
      callOf('palette', { colors: [] }, { usage }),
      gave('logo', 'x'),
    )
    const result = await runFlow(brand, { brand: 'Acme' }, { model })
    expect(result.steps.palette?.attempts.map(({ error }) => error?.code)).toEqual(['no_call', undefined])
    expect(result.steps.palette?.usage).toEqual({ input: 20, output: 2 })
    expect(result.usage).toEqual({ input: 30, output: 3 })
  })

  test('A flow stops at a step that fails, and lists the steps that were not reached.', async () => {
    const strict = defineFlow<string>('f').step(textStep('a')).step(textStep('b')).step(textStep('c'))
    const model = stepModel(gave('a', '1'), textOf('no'))
    const result = await runFlow(strict, 'x', { model })
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'no_call', step: 'b' },
      failed: ['b'],
      skipped: ['c'],
    })
    expect(result.outputs).toEqual({ a: { result: '1' } })
    expect(model.requests).toHaveLength(2)
  })

  test('A flow continues after a failed step with stopOnFailure: false.', async () => {
    const maybe = defineStep({
      name: 'maybe',
      outputSchema: genericOutput(),
      stopOnFailure: false,
      maxRetries: 0,
    })
    const flow = defineFlow<string>('f')
      .step(maybe)
      .step(textStep('last', { includeResults: ['maybe'] }), {
        input: ({ results }) => results.maybe?.result ?? 'nothing',
      })
    const model = stepModel(textOf('no'), gave('last', 'x'))
    const result = await runFlow(flow, 'in', { model })
    expect(result).toMatchObject({ ok: true, failed: ['maybe'], outputs: { last: { result: 'x' } } })
    expect(transcriptOf(model.requests[1])).toEqual([
      'user: nothing',
      'user: Results of earlier steps:\n\nmaybe: this step gave no result.',
    ])
  })

  test('A cancelled step stops every flow.', async () => {
    const stop = new AbortController()
    const maybe = defineStep({ name: 'maybe', outputSchema: genericOutput(), stopOnFailure: false })
    const model = stepModel(() => {
      stop.abort()
      throw stop.signal.reason
    })
    const flow = defineFlow('f')
      .step(maybe)
      .step(maybe, { as: 'again', input: () => '' })
    const result = await runFlow(flow, '', { model, signal: stop.signal })
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' }, skipped: ['again'] })
  })

  test('An input that cannot be computed is a failed step, not a throw.', async () => {
    const flow = defineFlow<string>('f').step(textStep('a'), {
      input: () => {
        throw new Error('no such colour')
      },
    })
    const events: FlowEvent[] = []
    const result = await runFlow(flow, '', { model: stepModel(), onEvent: event => events.push(event) })
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'input_error', message: 'The flow could not make the input of "a": no such colour' },
    })
    expect(events.map(({ type }) => type)).toEqual(['step-started', 'step-finished', 'flow-finished'])
  })

  test('includeResults appends the chosen results to the prompt.', async () => {
    const flow = defineFlow<string>('f')
      .step(textStep('a'))
      .step(textStep('b'))
      .step(textStep('c', { includeResults: ['a'] }))
    const model = stepModel(gave('a', 'first'), gave('b', 'second'), gave('c', 'x'))
    await runFlow(flow, 'Go', { model })
    expect(transcriptOf(model.requests[2])).toEqual([
      'user: Go',
      'user: Results of earlier steps:\n\na:\n{"result":"first"}',
    ])
  })

  test('A step can occur twice in a flow, under two names.', async () => {
    const flow = defineFlow<string>('f')
      .step(logo)
      .step(logo, { as: 'second', input: ({ results }) => results.logo.result })
    const model = stepModel(gave('logo', 'one'), gave('second', 'two'))
    const result = await runFlow(flow, 'in', { model })
    expect(result.outputs).toEqual({ logo: { result: 'one' }, second: { result: 'two' } })
  })

  test('A flow emits events about its progress.', async () => {
    const events: FlowEvent[] = []
    const model = stepModel(textOf('no'), callOf('palette', { colors: [] }), gave('logo', 'x'))
    const result = await runFlow(brand, { brand: 'A' }, { model, onEvent: event => events.push(event) })
    expect(events.map(event => `${event.type} ${'step' in event ? event.step : event.flow}`)).toEqual([
      'step-started palette',
      'attempt-started palette',
      'retry palette',
      'attempt-started palette',
      'step-finished palette',
      'step-started logo',
      'attempt-started logo',
      'step-finished logo',
      'flow-finished brand',
    ])
    expect(events.at(-1)).toMatchObject({ result })
  })

  test('A plain list of steps is a flow in which each gets the same input.', async () => {
    const model = stepModel(gave('a', '1'), gave('b', '2'))
    const result = await runFlow([textStep('a'), textStep('b', { includeResults: ['a'] })], 'in', { model })
    if (!result.ok) throw result.error
    expect([result.outputs.a.result, result.outputs.b.result]).toEqual(['1', '2'])
    expect(transcriptOf(model.requests[1])[0]).toBe('user: in')
  })

  test('Adding a step to a flow does not change the flow.', () => {
    const one = defineFlow<string>('f').step(logo)
    one.step(textStep('a'))
    expect(one.steps.map(({ name }) => name)).toEqual(['logo'])
  })

  test('A step called __proto__ is a step like any other.', async () => {
    const flow = defineFlow<string>('f')
      .step(textStep('__proto__'))
      .step(textStep('b', { includeResults: ['__proto__'] }))
    const model = stepModel(gave('__proto__', 'odd'), gave('b', 'x'))
    const result = await runFlow(flow, 'in', { model })
    expect(Object.keys(result.outputs)).toEqual(['__proto__', 'b'])
    expect(transcriptOf(model.requests[1])[1]).toContain('__proto__:\n{"result":"odd"}')
  })
})

describe('mistakes in a flow', () => {
  const flow = defineFlow<string>('f').step(logo)
  test.each<[string, () => unknown, string]>([
    [
      'twice',
      () => flow.step(logo),
      'Flow "f": there is a step "logo" already. Give the second one another name with "as".',
    ],
    [
      'an unknown result',
      () => flow.step(textStep('a', { includeResults: ['paltte'] })),
      'Flow "f": "a" includes the result of "paltte", which is not a step before it.',
    ],
    ['no step', () => flow.step({} as never), 'a step must come from defineStep(); got an object.'],
    [
      'no function',
      () => flow.step(logo, { as: 'b', input: 'x' as never }),
      '"input" of "b" must be a function; got "x".',
    ],
    ['no name', () => defineFlow(''), 'A flow must have a name; got "".'],
  ])('A mistake in a flow is thrown while it is defined: %s.', (_title, make, message) => {
    expect(make).toThrow(message)
  })

  test('A flow without steps is refused.', async () => {
    const model = stepModel()
    await expect(runFlow(defineFlow('f'), '', { model })).rejects.toThrow('got one without steps.')
  })
})
