/** What the codes of thrown errors mean. */
import type { ThrownCode } from '../model/diagnostic-codes.ts'
import type { Explanation } from './explanation.ts'

export const thrownExplanations: { readonly [Code in ThrownCode]: Explanation } = {
  invalid_definition: {
    title: 'A tool definition cannot be used',
    explanation:
      'defineTool or ToolRegistry.register was given something that is not a definition, or one of its fields has the wrong type, stands beside "function" instead of inside it, or is nearly but not quite a known field.',
    remedy: 'Correct the field that the message names.',
  },
  schema_not_convertible: {
    title: 'A schema cannot describe itself as JSON Schema',
    explanation:
      'The model is shown JSON Schema. The schema library either has no Standard JSON Schema support for this schema (plain valibot, zod/mini) or refused this one (a date, a bigint, a transform).',
    remedy:
      'Wrap a valibot schema with toStandardJsonSchema() of @valibot/to-json-schema, or give the JSON Schema as "parameters" and the schema that validates as "schema".',
  },
  duplicate_tool: {
    title: 'Two tools of one name in a registry',
    explanation: 'A call names its tool, so a registry holds one tool per name.',
    remedy: 'Rename one of them, unregister the first, or register with { replace: true }.',
  },
  unknown_tool: {
    title: 'No such tool in the registry',
    explanation:
      'A list of names contained one that is not registered. The message gives the names that are near to it.',
    remedy: 'Correct the name, or register the tool first.',
  },
}
