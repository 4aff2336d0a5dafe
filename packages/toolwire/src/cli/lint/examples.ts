/** How it looks when it is right: a short example for each code that lint reports. */
import type { DiagnosticCode } from '@toolwire/core'
import type { LintEdit, LintFix } from '@toolwire/core/lint'

const examples: { readonly [C in DiagnosticCode]?: string } = {
  array_without_items: '"tags": { "type": "array", "items": { "type": "string" } }',
  deferred_without_search: '"tools": [{ "type": "tool_search" }, { …, "defer_loading": true }]',
  description_advised: '"description": "Returns the weather of a city"',
  description_too_long: '"description": "Returns the weather of a city"',
  duplicate_key: '"name": "get_weather"',
  duplicate_tool_name: '"name": "get_weather_by_city"',
  empty_enum: '"unit": { "enum": ["celsius", "fahrenheit"] }',
  empty_namespace:
    '{ "type": "namespace", "name": "mail", "tools": [{ "type": "function", "name": "send" }] }',
  field_dropped: '"description": "Returns the weather of a city; only for the next 5 days"',
  hosted_tool_dropped: '{ "type": "function", "name": "web_search", "parameters": { "type": "object", … } }',
  hosted_tool_passed: '{ "type": "function", "name": "web_search", "parameters": { "type": "object", … } }',
  invalid_field: '"description": "Returns the weather of a city"',
  invalid_request: '{ "tools": [{ "name": "get_weather", … }] }',
  invalid_tool: '{ "name": "get_weather", "description": "…", "parameters": { "type": "object" } }',
  invalid_tool_choice: '"tool_choice": "auto"',
  legacy_functions: '"tools": [{ "type": "function", "function": { "name": "get_weather" } }]',
  misplaced_strict: '{ "type": "function", "function": { "name": "get_weather", "strict": true } }',
  missing_field: '{ "type": "function", "name": "get_weather" }',
  missing_name: '"name": "get_weather"',
  missing_parameters: '"parameters": { "type": "object", "properties": {} }',
  missing_properties: '"parameters": { "type": "object", "properties": {} }',
  missing_root_type: '"parameters": { "type": "object", "properties": { "city": { "type": "string" } } }',
  mixed_shape: '{ "type": "function", "function": { "name": "get_weather", "parameters": { … } } }',
  name_characters: '"name": "get_weather"',
  name_too_long: '"name": "get_weather"',
  not_a_list: '"tools": [{ "name": "get_weather" }]',
  parameters_not_object: '"parameters": { "type": "object", "properties": { "city": { "type": "string" } } }',
  pattern_invalid: '"date": { "type": "string", "pattern": "^\\\\d{4}-\\\\d{2}-\\\\d{2}$" }',
  property_name_refused: '"properties": { "home_city": { "type": "string" } }',
  root_keyword_refused: '"parameters": { "type": "object", "properties": { "place": { "anyOf": [ … ] } } }',
  schema_keyword_invalid: '"days": { "type": "integer", "minimum": 1 }',
  schema_ref_unresolved: '{ "$ref": "#/$defs/place", "$defs": { "place": { "type": "object" } } }',
  schema_type_unknown: '"city": { "type": "string" }',
  strict_unstated: '"strict": false',
  strict_violation:
    '{ "type": "object", "properties": { "a": … }, "required": ["a"], "additionalProperties": false }',
  too_many_tools: '"tools": [ … the ones that this request needs … ]',
  tool_choice_dropped: '"tool_choice": "auto"',
  tool_choice_refused: '"tool_choice": "auto"',
  tool_choice_undeclared: '"tool_choice": { "type": "function", "name": "get_weather" }',
  tool_choice_without_tools:
    '"tools": [{ "type": "function", "name": "get_weather" }], "tool_choice": "auto"',
  tool_dropped: '{ "type": "function", "name": "get_weather", "parameters": { "type": "object" } }',
  tools_refused: '"model": "a model that takes tools"',
  undeclared_required: '"properties": { "city": { "type": "string" } }, "required": ["city"]',
  unknown_type: '{ "type": "function", "name": "get_weather" }',
}

const usual =
  '{ "type": "function", "name": "get_weather", "parameters": { "type": "object", "properties": {} } }'
const longestExample = 200

/** What the fix would write; without one, how such a thing looks when it is right. */
export function exampleFor(code: string, fix: LintFix | undefined): string {
  const written = fix?.edits.find(edit => Object.hasOwn(edit, 'value'))
  if (written !== undefined) return memberText(written)
  return Object.hasOwn(examples, code) ? (examples[code as DiagnosticCode] ?? usual) : usual
}

function memberText({ path, value }: LintEdit): string {
  const key = path.at(-1)
  const text = JSON.stringify(value)
  const member = typeof key === 'string' ? `${JSON.stringify(key)}: ${text}` : text
  return member.length > longestExample ? `${member.slice(0, longestExample - 1)}…` : member
}
