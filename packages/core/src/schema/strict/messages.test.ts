import { describe, expect, test } from 'vitest'
import {
  checkStrict,
  inlineRefs,
  messagesStrictRules,
  minify,
  normalize,
  strictify,
  toChatDialect,
} from '../index.ts'

const closed = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const messagesOf = (pass: { diagnostics: { message: string }[] }): string[] =>
  pass.diagnostics.map(({ message }) => message)

describe('checkStrict', () => {
  const property = (schema: unknown): string[] => messagesOf(checkStrict(closed({ unit: schema })))
  test.each<[unknown, string]>([
    [
      { ...closed({ unit: { type: 'string' } }), required: [] },
      '"unit" must be listed in "required": in strict mode every property is. Make it nullable if it is optional.',
    ],
    [5, 'The root must be a schema object, got the number 5.'],
    [{ ...closed({}), type: undefined }, 'The root needs "type": "object".'],
    [
      { ...closed({}), anyOf: [closed({})] },
      'The root must not be a union; put the union into a property of an object.',
    ],
    [
      { ...closed({}), additionalProperties: true },
      'The root needs "additionalProperties": false, as every object in strict mode.',
    ],
    [
      { type: 'object', additionalProperties: false },
      'The root needs "properties"; write {} if it has none.',
    ],
    [
      { ...closed({}), required: ['a'] },
      '"a" is listed in "required" but not declared in "properties"; declare it, or take it off the list.',
    ],
    [{ ...closed({}), required: 'a' }, '"required" must be a list of different names.'],
    [{ ...closed({}), $defs: [] }, '"$defs" must be an object of named schemas.'],
    [
      { ...closed({}), $defs: { d: { type: 'array' } } },
      'The definition "d" is an array and needs "items": say what it holds.',
    ],
  ])('A violation at the root names the remedy: %j.', (schema, message) => {
    expect(messagesOf(checkStrict(schema))).toContain(message)
  })

  test.each<[unknown, string]>([
    [{ type: 'string', default: 'c' }, '"default" is not part of the strict subset; remove it.'],
    [
      { type: 'string', oneOf: [] },
      '"oneOf" is not part of the strict subset; use "anyOf" if no value fits two branches.',
    ],
    [
      { type: 'string', allOf: [] },
      '"allOf" is not part of the strict subset; write its branches out as one schema.',
    ],
    [
      { type: 'string', nullable: true },
      '"nullable" is not part of the strict subset; add "null" to "type" instead.',
    ],
    [
      { type: 'string', $defs: {} },
      '"$defs" is not part of the strict subset below the root; move the definitions there.',
    ],
    [
      { type: 'string', format: 'uri' },
      'The "format" "uri" is not part of the strict subset; remove it, or use one of: date-time, time, date, duration, email, hostname, ipv4, ipv6, uuid.',
    ],
    [
      { type: 'string', pattern: '(?=a)' },
      'The "pattern" "(?=a)" is not part of the strict subset; change or remove it.',
    ],
    [{ enum: ['a'] }, '"unit" needs a "type".'],
    [true, '"unit" must be a schema object with a "type"; true and false are not part of the strict subset.'],
    [{ type: 'array' }, '"unit" is an array and needs "items": say what it holds.'],
    [{ type: 'array', items: {} }, 'Each item of "unit" needs a "type".'],
    [{ anyOf: [{ type: 'null' }, {}] }, 'Branch 2 of "unit" needs a "type".'],
    [
      { type: 'array', items: { type: 'object', properties: {} } },
      'Each item of "unit" needs "additionalProperties": false, as every object in strict mode.',
    ],
    [
      { type: 'text' },
      '"type" must be one or more of: string, number, integer, boolean, object, array, null.',
    ],
    [{ type: 'string', properties: {} }, '"properties" needs "type": "object" beside it.'],
    [
      { type: 'string', enum: [{}] },
      '"enum" must list strings, numbers, booleans or null, and at least one.',
    ],
    [{ type: 'string', const: [] }, '"const" must be a string, a number, a boolean or null.'],
    [{ anyOf: [] }, '"anyOf" must be a list of at least one schema.'],
    [
      { type: 'string', anyOf: [{ type: 'string' }] },
      '"type" must not stand beside "anyOf"; move it into the branches.',
    ],
    [
      { $ref: '#', description: 'x' },
      '"description" must not stand beside "$ref"; remove it, or write the reference as "anyOf": [{ "$ref": … }].',
    ],
    [
      { $ref: '#/properties/unit' },
      'The reference "#/properties/unit" is not followed in strict mode; it must be "#" or lead to a definition of this schema, such as "#/$defs/name".',
    ],
  ])('A violation in a property names the property and the remedy: %j.', (schema, message) => {
    expect(property(schema)).toEqual([message])
  })

  test('Violations by cycles, limits and recursion name the remedy.', () => {
    const $defs = { a: { $ref: '#/$defs/a' } }
    expect(messagesOf(checkStrict({ ...closed({}), $defs }))).toEqual([
      'The reference "#/$defs/a" only leads back to itself; let it lead to a schema with a "type".',
    ])
    const many = closed(Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [i, { type: 'null' }])))
    expect(messagesOf(checkStrict(many))).toEqual([
      'The schema has 5001 properties; strict mode takes at most 5000.',
    ])
    expect(messagesOf(checkStrict(closed({ kid: { $ref: '#' } }), { rules: messagesStrictRules }))).toEqual([
      'The schema refers to itself, which strict mode does not take here; write a fixed number of levels out.',
    ])
  })

  test('A message distinguishes a property named like a keyword from the keyword.', () => {
    expect(messagesOf(checkStrict(closed({ properties: { type: 'array', items: {} } })))).toEqual([
      'Each item of "properties" needs a "type".',
    ])
    expect(messagesOf(checkStrict(closed({ items: {} })))).toEqual(['"items" needs a "type".'])
  })
})

describe('strictify', () => {
  test.each<[unknown, string]>([
    [{}, '"x" accepts any value, which strict mode cannot express; give it a "type".'],
    [true, '"x" accepts any value, which strict mode cannot express; give it a "type".'],
    [false, '"x" accepts no value, which strict mode cannot express; remove it.'],
    [
      { type: 'object' },
      '"x" accepts any properties, which strict mode cannot express; declare them, or set "additionalProperties" to false.',
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      '"x" has free keys, which strict mode cannot express; declare the properties, or use an array of name and value pairs.',
    ],
    [{ type: 'array' }, '"x" is an array and needs "items": say what it holds.'],
    [{ type: 'string', not: {} }, '"not" has no strict form; say the rule in the description instead.'],
    [
      { type: 'array', items: [] },
      'Items by position have no strict form; use an object with one property per position.',
    ],
    [{ $ref: '#/no' }, 'The reference "#/no" does not lead to a schema of this document; add it to "$defs".'],
    [
      { oneOf: [{ type: 'string' }, { type: 'string' }] },
      'The branches of "oneOf" may overlap, so it is not the same as "anyOf"; use "anyOf", or give each branch a required property with its own "const".',
    ],
    [
      { allOf: [{ type: 'string' }, { type: 'number' }] },
      '"allOf" cannot be written exactly as one schema; write the combined schema out by hand.',
    ],
    [
      { type: 'object', properties: {}, required: ['q'] },
      '"q" is listed in "required" but not declared in "properties"; declare it, or take it off the list.',
    ],
    [{ enum: [{ a: 1 }] }, '"enum" must list strings, numbers, booleans or null, and at least one.'],
  ])('A refusal names the property and the remedy: %j.', (schema, message) => {
    expect(messagesOf(strictify({ type: 'object', properties: { x: schema } }))).toContain(message)
  })

  test('strictify describes every change.', () => {
    const result = strictify({
      type: 'object',
      properties: {
        n: { type: 'integer', default: 5, 'x-order': 1 },
        m: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      $defs: { gone: { type: 'null' } },
    })
    expect(messagesOf(result)).toEqual([
      '"default" was moved into the description of "n", where the model reads it; strict mode does not take it.',
      '"x-order" constrains nothing and is not part of the strict subset; it was removed.',
      'The root was closed: it no longer accepts undeclared properties.',
      '"n" is now required and may be null instead of absent.',
      '"m" is now required; it could be null before.',
      'Nothing in the strict schema refers to the definition "gone"; it was removed.',
    ])
  })
})

describe('the other passes', () => {
  test('minify reports why it removed something.', () => {
    const schema = { $comment: 'c', properties: { a: { title: 'A' } }, $defs: { d: {} } }
    expect(messagesOf(minify(schema))).toEqual([
      '"$comment" was removed: neither models nor validators read it.',
      'Nothing refers to the definition "d"; it was removed.',
      '"title" was removed: it only repeats the name "a".',
    ])
    const asked = { titles: 'remove', descriptions: 'remove' } as const
    expect(messagesOf(minify({ title: 't', description: 'd' }, asked))).toEqual([
      '"title" was removed, as asked.',
      '"description" was removed, as asked.',
    ])
    expect(
      messagesOf(minify({ description: 'word '.repeat(9) }, { descriptions: 'shorten', maxDescription: 9 })),
    ).toEqual(['"description" was cut from 45 characters to 9, as asked.'])
  })

  test('normalize reports the original and the new form.', () => {
    const schema = {
      type: 'OBJECT',
      required: true,
      properties: {
        a: { type: 'string', required: true, nullable: true },
        b: { type: 'any' },
        c: { type: 7 },
        d: { minimum: 1, exclusiveMinimum: true },
      },
    }
    expect(messagesOf(normalize(schema))).toEqual([
      '"required": true at the root means nothing and was ignored.',
      '"required": true on "a" is an old form; it was read as the "required" list of the object around it.',
      '"nullable": true was read as the JSON Schema that means the same.',
      'The type "any" was left out: any value is allowed.',
      '"type" is neither a name nor a list of names and was ignored. Use string, number, integer, boolean, object, array or null.',
      '"exclusiveMinimum": true was read together with "minimum", as old drafts wrote it.',
      'The type "OBJECT" was read as "object".',
    ])
  })

  test('inlineRefs reports which references stay and which definitions are removed.', () => {
    const far = { $ref: 'https://a.b/c' }
    expect(messagesOf(inlineRefs({ properties: { far, self: { $ref: '#' } }, $defs: { d: {} } }))).toEqual([
      'The reference "https://a.b/c" is not in this document and stays; put its schema into "$defs".',
      'The reference "#" leads back to itself, so it cannot be written out; it stays.',
      'Nothing refers to the definition "d"; it was removed.',
    ])
  })

  test('toChatDialect does not report that references stay, because it removes them.', () => {
    const tree = { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } } } }
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/tree' }, far: { $ref: 'https://a.b/c' } },
      $defs: { tree },
    }
    const out = toChatDialect(schema)
    expect(out.schema).toEqual({ type: 'object', properties: { tree: {}, far: {} } })
    const lost = (ref: string): string =>
      `"$ref" is not part of the plain dialect and was removed: the schema behind "${ref}" leads back to itself, out of this document or is too large to be written out, and no longer applies here.`
    expect(out.diagnostics.map(({ code, path, message }) => [code, path.join('/'), message])).toEqual([
      ['schema_keyword_removed', 'properties/tree/$ref', lost('#/$defs/tree')],
      ['schema_keyword_removed', 'properties/far/$ref', lost('https://a.b/c')],
      ['schema_keyword_removed', '$defs', '"$defs" is not part of the plain dialect and was removed.'],
    ])
  })
  test('toChatDialect removes references that are too large to expand, and reports only that.', () => {
    const twice = (name: string): unknown => ({ anyOf: [{ $ref: name }, { $ref: name }] })
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`d${index}`, twice(`#/$defs/d${index + 1}`)]),
    )
    const bomb = { properties: { a: { $ref: '#/$defs/d0' } }, $defs: { ...$defs, d30: { type: 'null' } } }
    const out = toChatDialect(bomb)
    expect(out.schema).toEqual({ properties: { a: {} } })
    expect(out.diagnostics.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([
      'schema_keyword_removed properties/a/$ref',
      'schema_keyword_removed $defs',
    ])
  })
})
