import { describe, expect, test } from 'vitest'
import { callOf, stepModel, textOf, toolOf, transcriptOf } from '../../../../test/support/step-model.ts'
import { checkStrict } from '../schema/strict/check-strict.ts'
import { defineStep } from './define-step.ts'
import { genericOutput } from './output-schema.ts'
import { runStep } from './run-step.ts'
import type { StepConfig } from './step.ts'

const paletteSchema = {
  type: 'object',
  properties: {
    colors: { type: 'array', items: { type: 'string' }, description: 'Array of hex color codes' },
    confidence: { type: 'number', minimum: 0, maximum: 1, description: 'Confidence score' },
  },
  required: ['colors', 'confidence'],
} as const

const good = { colors: ['#112233'], confidence: 0.9 }

describe('the tool of a step', () => {
  test('The tool is built from the output schema, whatever the input looks like. [S004.1] [S004.5]', async () => {
    const step = defineStep({ name: 'palette', outputSchema: paletteSchema })
    const model = stepModel(callOf('palette', good), callOf('palette', good))
    await runStep(step, { brand: 'Acme', mood: ['calm'] }, { model })
    await runStep(step, 'a text', { model })
    const [first, second] = model.requests
    expect(toolOf(first).parameters).toEqual(toolOf(second).parameters)
    expect(Object.keys((toolOf(first).parameters as typeof paletteSchema).properties)).toEqual([
      'colors',
      'confidence',
    ])
    expect(JSON.stringify(toolOf(first))).not.toContain('brand')
  })

  test('The output schema is the parameters of the tool, and the model is forced to call it. [S004.4]', async () => {
    const closed = { ...paletteSchema, additionalProperties: false } as const
    const step = defineStep({ name: 'palette', description: 'Gives colours.', outputSchema: closed })
    const model = stepModel(callOf('palette', good))
    await runStep(step, 'Acme', { model })
    expect(toolOf(model.requests[0])).toMatchObject({
      name: 'palette',
      description: 'Gives colours.',
      parameters: closed,
      strict: true,
    })
    expect(model.requests[0]?.tools).toMatchObject({
      choice: { mode: 'tool', tool: { kind: 'function', name: 'palette' } },
      parallel: false,
    })
  })

  test('The palette example accepts what its schema describes and nothing else. [S004.8]', async () => {
    const step = defineStep({ name: 'palette', outputSchema: paletteSchema, maxRetries: 0 })
    for (const bad of [
      { ...good, confidence: 1.01 },
      { ...good, confidence: -0.01 },
      { ...good, confidence: '0.9' },
      { ...good, colors: '#112233' },
      { ...good, colors: [1] },
      { colors: good.colors },
      { confidence: good.confidence },
    ]) {
      expect(await runStep(step, 'Acme', { model: stepModel(callOf('palette', bad)) })).toMatchObject({
        ok: false,
      })
    }
    for (const fine of [good, { colors: [], confidence: 0 }, { colors: ['a', 'b'], confidence: 1 }]) {
      const result = await runStep(step, 'Acme', { model: stepModel(callOf('palette', fine)) })
      expect(result).toMatchObject({ ok: true, output: fine })
    }
  })

  test('Every output schema is sent in a form that strict mode accepts, including genericOutput(). [S004.12]', async () => {
    const nested = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        either: { anyOf: [{ type: 'object', properties: { b: { type: 'number' } } }, { type: 'null' }] },
      },
      required: ['list'],
    } as const
    for (const outputSchema of [paletteSchema, nested, genericOutput()]) {
      const step = defineStep({ name: 's', outputSchema, maxRetries: 0 })
      const model = stepModel(callOf('s', {}))
      await runStep(step, 'Acme', { model })
      const { parameters, strict } = toolOf(model.requests[0])
      expect([step.strict, strict]).toEqual([true, true])
      expect(looseObjects(parameters)).toEqual([])
    }
    expect(looseObjects(nested)).toHaveLength(3)
    expect(looseObjects(genericOutput())).toEqual([])
  })

  test('The error for another name of the schema field suggests outputSchema, which the step exposes. [S004.12]', () => {
    const named = (field: string): StepConfig => ({ name: 's', [field]: paletteSchema }) as never
    for (const field of ['parameters', 'outputschema', 'output_schema']) {
      expect(() => defineStep(named(field))).toThrow('Did you mean "outputSchema"?')
    }
    expect(defineStep(named('outputSchema')).outputSchema).toEqual(paletteSchema)
  })

  test('The palette example gets its strict form, with its ranges. [S004.8] [S004.12]', async () => {
    const step = defineStep({ name: 'palette', outputSchema: paletteSchema })
    expect(step.strict).toBe(true)
    expect(step.outputSchema).toEqual(paletteSchema)
    const model = stepModel(callOf('palette', good))
    const result = await runStep(step, 'Acme', { model })
    expect(result).toMatchObject({ ok: true, output: good })
    const sent = toolOf(model.requests[0]).parameters
    expect(toolOf(model.requests[0]).strict).toBe(true)
    expect(sent).toEqual({
      type: 'object',
      properties: {
        colors: { type: 'array', items: { type: 'string' }, description: 'Array of hex color codes' },
        confidence: { type: 'number', minimum: 0, maximum: 1, description: 'Confidence score' },
      },
      required: ['colors', 'confidence'],
      additionalProperties: false,
    })
    expect(result.diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['strict_object_closed', ['outputSchema']],
    ])
  })

  test('For an optional property the model writes null, and the output omits it.', async () => {
    const step = defineStep({
      name: 'note',
      outputSchema: {
        type: 'object',
        properties: { title: { type: 'string' }, body: { type: 'string' } },
        required: ['title'],
      },
    })
    const model = stepModel(callOf('note', { title: 'x', body: null }))
    const result = await runStep(step, '', { model })
    expect(result).toMatchObject({ ok: true, output: { title: 'x' } })
    expect(result.output).not.toHaveProperty('body')
    expect(result.attempts[0]?.raw).toBe('{"title":"x","body":null}')
  })

  test('A schema without a strict form is sent unchanged and not strict, with the reason as a diagnostic.', async () => {
    const open = { type: 'object', additionalProperties: { type: 'number' } } as const
    const step = defineStep({ name: 'counts', outputSchema: open })
    const model = stepModel(callOf('counts', { a: 1 }))
    const result = await runStep(step, '', { model })
    expect(toolOf(model.requests[0])).toMatchObject({ strict: false, parameters: open })
    expect(result).toMatchObject({ ok: true, output: { a: 1 } })
    expect(result.diagnostics).toContainEqual(expect.objectContaining({ code: 'strict_open_object' }))
  })

  test('The carrier "format" sends the schema as the output format, without a tool. [C18]', async () => {
    const step = defineStep({
      name: 'palette',
      outputSchema: paletteSchema,
      carrier: 'format',
      maxTokens: 500,
    })
    const model = stepModel(textOf(JSON.stringify(good)))
    const result = await runStep(step, 'Acme', { model })
    expect(result).toMatchObject({ ok: true, output: good })
    expect(model.requests[0]?.tools).toEqual({})
    expect(model.requests[0]?.settings).toMatchObject({
      format: { value: { type: 'json_schema', name: 'palette', strict: true } },
      maxOutputTokens: { value: 500 },
    })
  })
})

describe('the configuration', () => {
  test('The schema is a field of StepConfig like the others, and the step keeps it. [S004.3] [S004.7] [C20]', () => {
    const config: StepConfig<typeof paletteSchema, string> = {
      name: 'palette',
      outputSchema: paletteSchema,
      maxRetries: 1,
    }
    const step = defineStep(config)
    expect(step.outputSchema).toEqual(paletteSchema)
    expect(step).toMatchObject({
      maxRetries: 1,
      carrier: 'tool',
      stopOnFailure: true,
      severityFilter: 'high',
    })
  })

  test('A missing schema is an error that names genericOutput(). [C20] [S004.6] [S004.10]', () => {
    const config = { name: 'loose' } as unknown as StepConfig
    expect(() => defineStep(config)).toThrow(
      'Step "loose": "outputSchema" is missing. Say what the step must give, or use genericOutput() for a single text.',
    )
  })

  test('genericOutput() is a single string and already strict. [C19] [S004.6]', async () => {
    expect(checkStrict(genericOutput()).ok).toBe(true)
    const step = defineStep({ name: 'loose', outputSchema: genericOutput() })
    const model = stepModel(callOf('loose', { result: 'done' }))
    const result = await runStep(step, 'Say done.', { model })
    expect(toolOf(model.requests[0])).toMatchObject({ strict: true, parameters: genericOutput() })
    if (!result.ok) throw result.error
    expect(result.output.result).toBe('done')
    expect(genericOutput()).not.toBe(genericOutput())
  })

  test('A schema is data of the step: a function is refused, and nothing is derived from elsewhere. [S004.11]', () => {
    const schema = (() => paletteSchema) as unknown as typeof paletteSchema
    expect(() => defineStep({ name: 'palette', outputSchema: schema })).toThrow(
      'Step "palette": "outputSchema" must be a JSON Schema object or a Standard Schema; got a function.',
    )
  })

  test('Later changes to the original schema do not change the step.', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    const step = defineStep({ name: 's', outputSchema: schema })
    schema.required.pop()
    expect(step.outputSchema.required).toEqual(['a'])
  })

  test.each([
    [{ name: 'two words' }, 'A step\'s "name" must be letters, digits, "_" and "-", at most 64 of them'],
    [{ outputSchema: { type: 'array' } }, 'Put the value into a property of an object.'],
    [
      { issuesSeverityFilter: 'low' },
      'A step has no field "issuesSeverityFilter". Did you mean "severityFilter"?',
    ],
    [{ customPassCriteria: () => true }, 'Did you mean "passes"?'],
    [{ outputShcema: {} }, 'Did you mean "outputSchema"?'],
    [{ qqqqqqqqqq: 1 }, 'The fields are: name, description, outputSchema'],
    [{ maxRetries: -1 }, 'Step "s": "maxRetries" must be a whole number, 0 or more; got -1.'],
    [{ maxTokens: 0.5 }, '"maxTokens" must be a whole number above 0; got 0.5.'],
    [{ severityFilter: 'bad' }, '"severityFilter" must be one of low, medium, high, critical; got "bad".'],
    [
      { alsoRetry: ['audit_error'] },
      '"alsoRetry" must be a list of refused, truncated_output, model_failed; got a list.',
    ],
    [{ carrier: 'mail' }, '"carrier" must be "tool" or "format"; got "mail".'],
    [
      { audits: [{ name: 'a' }] },
      '"audits[0]" must be an object with a "name" and a function "audit"; got an object.',
    ],
    [{ audits: [audit('a'), audit('a')] }, '"audits[1]": another audit is called "a" too.'],
    [{ prompt: 'Hello' }, '"prompt" must be a function; got "Hello".'],
  ])('The configuration %j is refused.', (fields, message) => {
    const config = { name: 's', outputSchema: genericOutput(), ...fields } as unknown as StepConfig
    expect(() => defineStep(config)).toThrow(message)
  })
})

describe('the prompt', () => {
  test('Without a prompt the input is sent: a string unchanged, anything else as JSON.', async () => {
    const step = defineStep({ name: 's', outputSchema: genericOutput() })
    const model = stepModel(callOf('s', { result: '' }), callOf('s', { result: '' }))
    await runStep(step, 'Acme', { model })
    await runStep(step, { brand: 'Acme' }, { model })
    expect(model.requests.map(transcriptOf)).toEqual([['user: Acme'], ['user: {"brand":"Acme"}']])
  })

  test('Instructions, prompt and images are built from the sanitized input.', async () => {
    const step = defineStep({
      name: 's',
      outputSchema: genericOutput(),
      sanitizeInput: (brand: string) => brand.trim(),
      instructions: brand => `You work for ${brand}.`,
      prompt: brand => [
        { kind: 'text', text: `Describe ${brand}.` },
        { kind: 'image', source: { type: 'url', url: 'https://example.com/logo.png' } },
      ],
    })
    const model = stepModel(callOf('s', { result: '' }))
    await runStep(step, '  Acme ', { model })
    expect(transcriptOf(model.requests[0])).toEqual([
      'system: You work for Acme.',
      'user: Describe Acme.',
      'user: image',
    ])
  })

  test('Functions written as methods get the configuration as this.', async () => {
    const step = defineStep({
      name: 's',
      description: 'the description',
      outputSchema: genericOutput(),
      prompt(this: { description?: string }): string {
        return this.description ?? 'lost'
      },
    })
    const model = stepModel(callOf('s', { result: '' }))
    await runStep(step, '', { model })
    expect(transcriptOf(model.requests[0])).toEqual(['user: the description'])
  })
})

/** The objects of a schema that strict mode refuses, by rules of our own: closed, and nothing optional. */
function looseObjects(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties = {}, required = [], additionalProperties } = schema as Record<string, unknown>
  const isObject = [type].flat().includes('object')
  const isClosed = additionalProperties === false
  const isFull = JSON.stringify(Object.keys(properties as object)) === JSON.stringify(required)
  const within = Object.values(schema).flatMap(looseObjects)
  return isObject && !(isClosed && isFull) ? [schema, ...within] : within
}

function audit(name: string): object {
  return { name, audit: () => [] }
}
