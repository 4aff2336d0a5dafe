/** Random conversion options: most losses appear only when two options are combined. */
import type { ToolOptions, BuiltInWire as Wire } from '@toolwire/core'
import fc from 'fast-check'

const policy = fc.constantFrom('emulate', 'drop', 'handler', 'pass', 'error')

const schema = { type: 'object', properties: { q: { type: 'string' } } }

const perType = fc.dictionary(
  fc.constantFrom('web_search', 'mcp', 'local_shell', 'bash_20250124', 'code_interpreter', 'shell'),
  fc.oneof(
    policy,
    fc.record(
      {
        policy: fc.constantFrom('emulate', 'handler'),
        name: fc.constantFrom('run', 'a', 'local_shell'),
        parameters: fc.constant(schema),
      },
      { requiredKeys: ['policy'] },
    ),
  ),
  { maxKeys: 3 },
)

/** Facts that every upstream of the wire could have. */
const facts = (to: Wire): fc.Arbitrary<ToolOptions['profile']> =>
  fc.record(
    {
      nameMaxLength: fc.constantFrom(16, 32, 64),
      parametersRequired: fc.boolean(),
      rootTypeRequired: fc.boolean(),
      webSearch: to === 'chat' ? fc.constant(false) : fc.boolean(),
      customTools: to === 'messages' ? fc.constant(false) : fc.boolean(),
      allowedTools: to === 'messages' ? fc.constant(false) : fc.boolean(),
      namespaces: to === 'responses' ? fc.boolean() : fc.constant(false),
    },
    { requiredKeys: [] },
  )

export function optionsTo(to: Wire): fc.Arbitrary<ToolOptions> {
  return fc.record(
    {
      strict: fc.constantFrom('preserve', 'omit', 'strictify'),
      misplacedStrict: fc.constantFrom('ignore', 'honour'),
      hostedTools: fc.oneof(policy, perType),
      unknownTools: fc.constantFrom('drop', 'pass', 'error'),
      profile: facts(to),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<ToolOptions>
}
