/** `isStrict` stops at the first violation and counts nothing that need not be counted; it must judge alike. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxDepth, measure } from '../walk.ts'
import { checkStrict, isStrict } from './check-strict.ts'
import type { StrictRules } from './rules.ts'
import { messagesStrictRules, openaiStrictRules } from './rules.ts'

const tight: StrictRules = {
  ...openaiStrictRules,
  limits: { properties: 2, depth: 2, characters: 12, enumValues: 2, largeEnum: 1, largeEnumCharacters: 3 },
}
const roomy: StrictRules = { ...messagesStrictRules, keywords: new Set(['allOf', 'not', 'description']) }

/** Mostly strict, so that both verdicts are common. */
const schemas = fc.letrec<{ any: unknown; object: unknown }>(tie => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown[]>(
      { type: 'string' },
      { type: ['integer', 'null'] },
      { type: 'string', enum: ['a', 'bcd'] },
      { const: 'x', type: 'string' },
      { $ref: '#/$defs/a' },
      { $ref: '#' },
      { type: 'string', additionalProperties: { type: 'object', properties: { long_name: true } } },
      { type: 'string', minLength: 1 },
      { type: 'nothing' },
      true,
    ),
    tie('object'),
    tie('any').map(items => ({ type: 'array', items })),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map(anyOf => ({ anyOf })),
    tie('any').map(inner => ({ type: 'string', allOf: [inner] })),
  ),
  object: fc
    .record({
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'items', '$ref', '__proto__'), tie('any'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      isOpen: fc.boolean(),
      isPartial: fc.boolean(),
    })
    .map(({ properties, isOpen, isPartial }) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(isPartial ? 1 : 0),
      ...(!isOpen && { additionalProperties: false }),
    })),
}))

const roots = fc.oneof(
  schemas.any,
  schemas.object,
  fc.tuple(schemas.object, schemas.any).map(([root, a]) => ({ ...(root as object), $defs: { a } })),
)

describe.each([
  ['the rules of OpenAI', openaiStrictRules],
  ['the rules of Messages', messagesStrictRules],
  ['narrow limits', tight],
  ['rules that allow schemas in other places', roomy],
] as const)('with %s', (_, rules) => {
  test('isStrict agrees with checkStrict.', () => {
    fc.assert(
      fc.property(roots, schema => {
        expect(isStrict(schema, rules)).toBe(checkStrict(schema, { rules }).ok)
      }),
      { numRuns: 500 },
    )
  })
})

test('A schema that is too deep or contains itself is not strict.', () => {
  const cyclic: Record<string, unknown> = { type: 'object', required: ['a'], additionalProperties: false }
  cyclic.properties = { a: cyclic }
  let deep: object = { type: 'string' }
  for (let level = 0; level < maxDepth; level++) deep = { type: 'array', items: deep }
  for (const schema of [cyclic, deep, { ...deep, default: deep }]) {
    expect(isStrict(schema, messagesStrictRules)).toBe(false)
  }
})

interface Counted {
  nodes: number
  depth: number
  characters: number
  hasRefs: boolean
}

function counted(value: unknown): Counted {
  const size = { nodes: 1, depth: 0, characters: 0, hasRefs: false }
  if (typeof value === 'string') size.characters = value.length
  if (typeof value !== 'object' || value === null) return size
  for (const [key, member] of Object.entries(value)) {
    const inner = counted(member)
    size.nodes += inner.nodes
    size.depth = Math.max(size.depth, inner.depth + 1)
    size.characters += inner.characters + (Array.isArray(value) ? 0 : key.length)
    size.hasRefs ||= inner.hasRefs || key === '$ref'
  }
  return size
}

test('measure counts exactly, and its limits are exact.', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), roots), value => {
      const size = counted(value)
      const within = { ...size, tooDeep: false, tooLarge: false }
      expect(measure(value)).toEqual(within)
      expect(measure(value, size.depth, size.nodes)).toEqual(within)
      if (size.depth === 0) return
      expect(measure(value, size.depth - 1)).toMatchObject({ tooDeep: true, tooLarge: false })
      expect(measure(value, size.depth, size.nodes - 1)).toMatchObject({ tooLarge: true, nodes: size.nodes })
    }),
  )
})
