/** The types of steps and flows. */
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { stepModel } from '../../../../test/support/step-model.ts'
import { defineStep } from './define-step.ts'
import { defineFlow } from './flow.ts'
import { genericOutput } from './output-schema.ts'
import { runFlow } from './run-flow.ts'
import { runStep } from './run-step.ts'

interface Brief {
  readonly brand: string
}

interface Palette {
  colors: string[]
  mood?: 'calm' | 'loud'
}

const palette = defineStep({
  name: 'palette',
  outputSchema: {
    type: 'object',
    properties: {
      colors: { type: 'array', items: { type: 'string' } },
      mood: { enum: ['calm', 'loud'] },
    },
    required: ['colors'],
  },
  prompt: (brief: Brief) => brief.brand,
  sanitizeOutput: output => {
    expectTypeOf(output).toEqualTypeOf<Palette>()
    return output
  },
  audits: [
    {
      name: 'typed',
      audit(output, { input, earlier }) {
        expectTypeOf(output).toEqualTypeOf<Palette>()
        expectTypeOf(input).toEqualTypeOf<Brief>()
        expectTypeOf(earlier[0]?.output).toEqualTypeOf<Palette | undefined>()
        return []
      },
    },
  ],
  passes: (output, { input }) => output.colors.length > 0 && input.brand !== '',
})
const maybe = defineStep({
  name: 'maybe',
  outputSchema: z.object({ at: z.string().transform(text => text.length) }),
  stopOnFailure: false,
  sanitizeOutput: output => {
    expectTypeOf(output).toEqualTypeOf<{ at: string }>()
    return output
  },
})

describe('types', () => {
  test('A successful result has the output type of the schema.', () => {
    const check = async () => {
      const result = await runStep(palette, { brand: 'Acme' }, { model: stepModel() })
      expectTypeOf(result.output).toEqualTypeOf<Palette | undefined>()
      if (result.ok) expectTypeOf(result.output).toEqualTypeOf<Palette>()
      // @ts-expect-error: the prompt takes a brief
      await runStep(palette, { brnd: 'Acme' }, { model: stepModel() })
    }
    expect(check).toBeTypeOf('function')
  })

  test('The types require a schema.', () => {
    // @ts-expect-error: without a schema there is no step
    expect(() => defineStep({ name: 's' })).toThrow('genericOutput()')
  })

  test('The outputs of earlier steps are typed in a flow.', () => {
    const flow = defineFlow<Brief>('f')
      .step(palette)
      .step(maybe, {
        input: ({ input, results }) => {
          expectTypeOf(input).toEqualTypeOf<Brief>()
          expectTypeOf(results.palette).toEqualTypeOf<Palette>()
          // @ts-expect-error: no earlier step has this name
          return results.logo
        },
      })
      .step(palette, {
        as: 'again',
        input: ({ results }) => {
          expectTypeOf(results.maybe).toEqualTypeOf<{ at: number } | undefined>()
          return { brand: 'x' }
        },
      })
    const check = async () => {
      const result = await runFlow(flow, { brand: 'Acme' }, { model: stepModel() })
      expectTypeOf(result.outputs.again).toEqualTypeOf<Palette | undefined>()
      if (result.ok) expectTypeOf(result.outputs.again).toEqualTypeOf<Palette>()
      // @ts-expect-error: the flow takes a brief
      await runFlow(flow, 'Acme', { model: stepModel() })
      // @ts-expect-error: a palette takes a brief
      await runFlow([palette, maybe], 'Acme', { model: stepModel() })
    }
    expect(check).toBeTypeOf('function')
  })

  test('A step that cannot take the input of the flow needs its own input function.', () => {
    // @ts-expect-error: a palette takes a brief, the flow has a text
    expect(defineFlow<string>('f').step(palette).steps).toHaveLength(1)
    // @ts-expect-error: the brief lacks its brand
    expect(defineFlow<string>('f').step(palette, { input: () => ({}) }).steps).toHaveLength(1)
    expectTypeOf(genericOutput().required).toEqualTypeOf<readonly ['result']>()
  })
})
