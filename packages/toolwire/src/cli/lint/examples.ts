/** How it looks when it is right: a short example for each finding. */
import { type DiagnosticCode, encodeTools, type WireDefinition } from '@toolwire/core'
import type { LintEdit, LintFinding } from '@toolwire/core/lint'

/** Where the finding itself has none. */
const examples: { readonly [C in DiagnosticCode]?: string } = {
  deferred_without_search: '"tools": [{ "type": "tool_search" }, { …, "defer_loading": true }]',
  description_advised: '"description": "Returns the weather of a city"',
  description_too_long: '"description": "Returns the weather of a city"',
  duplicate_key: '"name": "get_weather"',
  duplicate_tool_name: '"name": "get_weather_by_city"',
  empty_namespace:
    '{ "type": "namespace", "name": "mail", "tools": [{ "type": "function", "name": "send" }] }',
  field_dropped: '"description": "Returns the weather of a city; only for the next 5 days"',
  invalid_field: '"description": "Returns the weather of a city"',
  invalid_request: '{ "tools": [{ "name": "get_weather", … }] }',
  invalid_tool_choice: '"tool_choice": "auto"',
  legacy_functions: '"tools": [{ "type": "function", "function": { "name": "get_weather" } }]',
  missing_name: '"name": "get_weather"',
  missing_parameters: '"parameters": { "type": "object", "properties": {} }',
  missing_properties: '"parameters": { "type": "object", "properties": {} }',
  missing_root_type: '"parameters": { "type": "object", "properties": { "city": { "type": "string" } } }',
  name_characters: '"name": "get_weather"',
  name_too_long: '"name": "get_weather"',
  not_a_list: '"tools": [{ "name": "get_weather" }]',
  parameters_not_object: '"parameters": { "type": "object", "properties": { "city": { "type": "string" } } }',
  pattern_invalid: '"date": { "type": "string", "pattern": "^\\\\d{4}-\\\\d{2}-\\\\d{2}$" }',
  schema_ref_unresolved: '{ "$ref": "#/$defs/place", "$defs": { "place": { "type": "object" } } }',
  schema_type_unknown: '"city": { "type": "string" }',
  strict_violation:
    '{ "type": "object", "properties": { "a": … }, "required": ["a"], "additionalProperties": false }',
  too_many_tools: '"tools": [ … the ones that this request needs … ]',
  tool_choice_dropped: '"tool_choice": "auto"',
  tool_choice_refused: '"tool_choice": "auto"',
  tool_choice_undeclared: '"tool_choice": { "type": "function", "name": "get_weather" }',
  tool_choice_without_tools:
    '"tools": [{ "type": "function", "name": "get_weather" }], "tool_choice": "auto"',
  tools_refused: '"model": "a model that takes tools"',
}

const longestExample = 200

/** What the fix would write, or the finding's own example; without one, how such a thing looks when it is right. */
export function exampleFor({ code, fix, example }: LintFinding, wire: WireDefinition | undefined): string {
  const written = fix?.edits.find(edit => Object.hasOwn(edit, 'value')) ?? example
  if (written !== undefined) return memberText(written)
  return (Object.hasOwn(examples, code) ? examples[code] : undefined) ?? toolText(wire)
}

/** A tool as it is written for a wire; for an MCP server without one. */
function toolText(wire: WireDefinition | undefined): string {
  const name = 'get_weather'
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  if (wire === undefined) return JSON.stringify({ name, inputSchema: parameters })
  return JSON.stringify(encodeTools([{ name, parameters }], { to: wire }).value[0])
}

function memberText({ path, value }: LintEdit): string {
  const key = path.at(-1)
  const text = JSON.stringify(value)
  const member = typeof key === 'string' ? `${JSON.stringify(key)}: ${text}` : text
  return member.length > longestExample ? `${member.slice(0, longestExample - 1)}…` : member
}
