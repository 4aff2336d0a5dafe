import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toolsOf } from '../../../../../test/support/arbitraries/tools.ts'
import { createReport } from '../../model/diagnostic.ts'
import { defineTool } from '../../runtime/tools/define-tool.ts'
import { ToolRegistry } from '../../runtime/tools/registry.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import { toolMark } from '../../runtime/tools/tool-spec.ts'
import { builtInConversations } from '../../wires/registry.ts'
import { assertToolLaws, LawError, toolLaws } from '../index.ts'
import { callLaws } from './call-laws.ts'
import { definitionLaws } from './definition-laws.ts'

const registry = new ToolRegistry([
  defineTool({ name: 'now' }),
  defineTool({
    name: 'weather.forecast of the day/week',
    description: 'Tells the weather "as it is".',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 2 },
        days: { type: 'integer', minimum: 1, maximum: 14 },
        unit: { enum: ['c', 'f'], default: 'c' },
        where: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
      },
      required: ['city'],
    },
    outputSchema: { type: 'object', properties: { degrees: { type: 'number' } } },
  }),
  defineTool({
    name: `${'long_'.repeat(30)}a`,
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
  }),
  defineTool({
    name: `${'long_'.repeat(30)}b`,
    parameters: { type: 'object', properties: {} },
    strict: true,
  }),
  defineTool({
    name: 'tree',
    parameters: {
      $defs: {
        node: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['name', 'children'],
        },
      },
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' }, note: { type: ['string', 'null'] } },
      required: ['root'],
    },
  }),
  defineTool({
    name: 'zod',
    schema: z.object({
      shape: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
        z.object({ kind: z.literal('square'), side: z.number().min(1), label: z.string().optional() }),
      ]),
      when: z.iso.datetime().optional(),
      tags: z
        .array(z.string().regex(/^[a-z]+$/))
        .max(3)
        .default([]),
    }),
  }),
])

describe('Valid tools', () => {
  const laws = toolLaws(registry, { seed: 11, samples: 8 })

  test('Every law has a name of its own.', () => {
    expect(new Set(laws.map(({ name }) => name)).size).toBe(laws.length)
    expect(laws.length).toBeGreaterThan(25)
  })

  test.each(laws)('This law holds: $name.', async ({ check }) => {
    await check()
  })

  test('Valid tools pass for any seed, on the chosen wires.', async () => {
    for (let seed = 0; seed < 5; seed++) await assertToolLaws(registry, { seed: seed * 100, samples: 2 })
    await assertToolLaws([], {})
    await assertToolLaws([{ name: 'plain', parameters: { type: 'object' } }], { wires: ['chat'] })
    expect(
      toolLaws(registry, { wires: ['messages'] })
        .map(({ name }) => name)
        .join(),
    ).not.toMatch(/chat|responses/)
  })
})

describe('Generated tools', () => {
  test('Generated tools pass.', async () => {
    await fc.assert(
      fc.asyncProperty(toolsOf('messages'), fc.nat(), async (tools, seed) => {
        const read = tools.map(tool =>
          builtInConversations.messages.decodeTool(tool, [], createReport().report),
        )
        const functions = read.filter(tool => tool.kind === 'function')
        const byName = new Map(
          functions.map(({ name, parameters }) => [name, { name, parameters: parameters ?? {} }]),
        )
        await assertToolLaws([...byName.values()], { seed, samples: 2 })
      }),
      { numRuns: 10 },
    )
  })
})

describe('Invalid tools', () => {
  const broken = (tools: readonly ToolSpec[], options = {}): Promise<string> =>
    assertToolLaws(tools, options).then(
      () => 'no law is broken',
      (error: unknown) => (error instanceof LawError ? error.message : String(error)),
    )

  test('A tool that does not accept what its schema allows breaks a law.', async () => {
    const schema = z.object({ from: z.int().min(0).max(3), to: z.int().min(0).max(3) })
    const picky = defineTool({
      name: 'range',
      schema: schema.refine(({ from, to }) => from > to, {
        message: 'from must be above to',
        path: ['from'],
      }),
      parameters: {
        type: 'object',
        properties: { from: { type: 'integer' }, to: { type: 'integer' } },
        required: ['from', 'to'],
      },
    })
    expect(await broken([picky])).toMatch(
      /arguments: range accepts what its schema allows\n.*Tool "range" does not accept the arguments \{"from":.*sampled from its own schema: .* at from/,
    )
  })

  test('A tool with a changing description breaks a law.', () => {
    let count = 0
    const fickle: ToolSpec = {
      [toolMark]: true,
      name: 'fickle',
      parameters: { type: 'object' },
      get description() {
        count += 1
        return `Asked ${count} times`
      },
    }
    const [law] = definitionLaws({ tools: [{ tool: fickle, samples: [] }], wires: ['chat'], seed: 0 })
    expect(law?.check).toThrow(
      'Tool "fickle" on chat: description changed and nothing was reported at 0.description.',
    )
  })

  test('A tool with a changing name breaks a law.', async () => {
    let count = 0
    const fickle: ToolSpec = {
      [toolMark]: true,
      get name() {
        count += 1
        return `name_${count}`
      },
      parameters: { type: 'object' },
    }
    const laws = callLaws({ tools: [{ tool: fickle, samples: [{}] }], wires: ['messages'], seed: 0 })
    await expect(laws[0]?.check()).rejects.toThrow(
      /Tool "name_\d": its call came from messages to messages, not streamed as/,
    )
  })

  test('Two tools with one name break a law.', async () => {
    const same = defineTool({ name: 'same', parameters: { type: 'object' } })
    expect(await broken([same, same])).toContain('On chat there are 1 tools of 2.')
  })

  test('A value that is not a list of tools is refused.', () => {
    for (const none of [5, undefined, {}, 'tools'] as unknown as ToolSpec[][])
      expect(() => toolLaws(none)).toThrow('Tools must be an array or a ToolRegistry')
  })

  test('A tool without valid arguments is refused.', () => {
    const impossible = defineTool({
      name: 'never',
      parameters: {
        type: 'object',
        properties: { a: { type: 'string', minLength: 2, maxLength: 1 } },
        required: ['a'],
      },
    })
    expect(() => toolLaws([impossible])).toThrow(
      'Tool "never": no arguments were found that satisfy its schema.',
    )
  })

  test('A tool that a provider refuses breaks a law when lint is on.', async () => {
    const refused = defineTool({
      name: 'listing',
      parameters: { type: 'object', properties: { 'a b': { type: 'string' } }, required: [] },
    })
    expect(await broken([refused])).toBe('no law is broken')
    expect(await broken([refused], { lint: true })).toMatch(
      /lint: a provider on messages finds nothing to refuse\n.*Tool "listing" on messages, at 0\./,
    )
  })
})
