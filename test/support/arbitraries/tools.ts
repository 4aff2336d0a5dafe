/** Random tools of each wire, with every optional field, unknown fields and unusual names. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import fc from 'fast-check'

const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z_]{60,140}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty', 'a__b', 'a', 'b'),
  },
)

const text = fc.string({ maxLength: 20, unit: 'grapheme' })

/** Unknown fields of a vendor; their keys are never those of a wire. */
const unknownFields = fc.dictionary(
  fc.stringMatching(/^x_[a-z]{1,6}$/),
  fc.jsonValue({ maxDepth: 2 }).filter(value => value !== null),
  { maxKeys: 2 },
)

const propertyName = fc.oneof(
  fc.stringMatching(/^[a-z]{1,5}$/),
  fc.constantFrom('__proto__', 'constructor', 'strict', 'type'),
)

const schema: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{ node: Record<string, unknown> }>(tie => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record(
      { type: fc.constantFrom('string', 'number', 'integer', 'boolean'), description: text },
      { requiredKeys: ['type'] },
    ),
    fc.record({ enum: fc.array(text, { minLength: 1, maxLength: 3 }) }),
    fc.record(
      { type: fc.constant('array'), items: tie('node'), minItems: fc.nat(3) },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
    objectOf(tie('node')),
  ),
})).node

function objectOf(node: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .record({
      properties: fc.dictionary(propertyName, node, { maxKeys: 4 }),
      additional: fc.option(fc.boolean(), { nil: undefined }),
    })
    .map(({ properties, additional }) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, 2),
      ...(additional === undefined ? {} : { additionalProperties: additional }),
    }))
}

const parameters: fc.Arbitrary<Record<string, unknown>> = objectOf(schema)

const format = (nested: boolean): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constant({ type: 'text' }),
    fc
      .record({ syntax: fc.constantFrom('lark', 'regex'), definition: text })
      .map(grammar => (nested ? { type: 'grammar', grammar } : { type: 'grammar', ...grammar })),
  )

const optional = { requiredKeys: [] as [] }

function withUnknown<T extends object>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.tuple(arbitrary, unknownFields).map(([fields, unknown]) => ({ ...unknown, ...fields }))
}

function named<T extends object>(fields: fc.Arbitrary<T>): fc.Arbitrary<T & { name: string }> {
  return fc.tuple(name, fields).map(([ownName, rest]) => ({ name: ownName, ...rest }))
}

const chatFunction = named(fc.record({ description: text, parameters, strict: fc.boolean() }, optional))
const chatCustom = named(fc.record({ description: text, format: format(true) }, optional))

const responsesFunction = named(
  fc.record(
    {
      description: fc.option(text),
      parameters: fc.option(parameters),
      strict: fc.option(fc.boolean()),
      output_schema: parameters,
      allowed_callers: fc.constant(['direct']),
      async: fc.boolean(),
      defer_loading: fc.boolean(),
    },
    optional,
  ),
).map(fields => ({ type: 'function', ...fields }))

const responsesCustom = named(
  fc.record({ description: text, format: format(false), defer_loading: fc.boolean() }, optional),
).map(fields => ({ type: 'custom', ...fields }))

const responsesCallable = withUnknown(fc.oneof(responsesFunction, responsesCustom))

const responsesHosted = fc.constantFrom<Record<string, unknown>>(
  { type: 'local_shell' },
  { type: 'apply_patch' },
  { type: 'image_generation' },
  { type: 'web_search' },
  { type: 'web_search', filters: { allowed_domains: ['example.com'] } },
  { type: 'mcp', server_label: 'docs', server_url: 'https://mcp.example' },
  { type: 'code_interpreter', container: 'auto-1' },
  { type: 'shell', environment: null },
  {
    type: 'tool_search',
    execution: 'client',
    description: 'Finds',
    parameters: { type: 'object', properties: {} },
  },
  { type: 'file_search', vector_store_ids: ['vs'], filters: { key: 'k' } },
  { type: 'tomorrow', setting: 'new' },
)

const namespace = named(
  fc.record({
    description: text,
    tools: fc.array(
      fc.oneof({ weight: 6, arbitrary: responsesCallable }, { weight: 1, arbitrary: responsesHosted }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
).map(fields => ({ type: 'namespace', ...fields }))

const messagesTool = withUnknown(
  named(
    fc.record(
      {
        type: fc.constantFrom('custom', null),
        description: text,
        strict: fc.boolean(),
        cache_control: fc.constant({ type: 'ephemeral' }),
        defer_loading: fc.boolean(),
        input_examples: fc.constant([{ a: 1 }]),
      },
      optional,
    ),
  ).chain(fields => parameters.map(input_schema => ({ ...fields, input_schema }))),
)

const messagesHosted = fc.constantFrom<Record<string, unknown>>(
  { type: 'bash_20250124', name: 'bash' },
  { type: 'memory_20250818', name: 'memory' },
  { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
  { type: 'code_execution_20260521', name: 'code_execution' },
)

/** A valid tool of the wire. */
const toolOf: { readonly [W in Wire]: fc.Arbitrary<Record<string, unknown>> } = {
  chat: withUnknown(
    fc.oneof(
      withUnknown(chatFunction).map(inner => ({ type: 'function', function: inner })),
      withUnknown(chatCustom).map(inner => ({ type: 'custom', custom: inner })),
    ),
  ),
  responses: fc.oneof(
    { weight: 4, arbitrary: responsesCallable },
    { weight: 1, arbitrary: withUnknown(namespace) },
    { weight: 1, arbitrary: responsesHosted },
  ),
  messages: fc.oneof({ weight: 4, arbitrary: messagesTool }, { weight: 1, arbitrary: messagesHosted }),
}

export const toolsOf = (wire: Wire): fc.Arbitrary<Record<string, unknown>[]> =>
  fc.array(toolOf[wire], { maxLength: 6 })
