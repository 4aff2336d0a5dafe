/**
 * Every diagnostic code and its severity. A released code keeps its meaning and is never reused. The explanations are in
 * `diagnostics/catalog.ts`, whose type requires an entry for each code here.
 */

const toolSeverities = {
  // Reading tool definitions
  invalid_request: 'error',
  not_a_list: 'error',
  invalid_tool: 'error',
  missing_name: 'error',
  missing_description: 'error',
  mixed_shape: 'info',
  legacy_functions: 'info',
  additional_tools_merged: 'info',
  tool_withdrawn: 'info',

  // Adapting them to the target
  hint_dropped: 'info',
  unknown_tool_refused: 'error',
  hosted_tool_omitted: 'info',
  own_search_dropped: 'info',
  hosted_tool_emulated: 'info',
  hosted_tool_handled: 'info',
  hosted_tool_mapped: 'info',
  hosted_tool_refused: 'error',
  custom_tool_wrapped: 'info',
  namespace_flattened: 'info',
  tool_renamed: 'info',
  duplicate_tool_name: 'error',
  duplicate_tool_removed: 'info',
  tool_shown: 'info',
  parameters_defaulted: 'info',
  parameters_root_typed: 'info',
  parameters_properties_added: 'info',
  parameters_wrapped: 'info',
  parameters_not_object: 'error',
  strict_auto_resolved: 'info',

  // Tool choice
  invalid_tool_choice: 'error',
  tool_choice_impossible: 'error',
  tool_choice_refused: 'error',
  tool_choice_without_tools: 'info',
  allowed_tools_applied: 'info',
  tool_not_allowed: 'info',
  parallel_tool_calls_dropped: 'info',
} as const
const toolWarnings = {
  unknown_type: 'warning',
  misplaced_strict: 'warning',
  losses_omitted: 'warning',
  field_dropped: 'warning',
  tool_dropped: 'warning',
  unknown_tool_passed: 'warning',
  hosted_tool_dropped: 'warning',
  hosted_tool_passed: 'warning',
  server_tool_omitted: 'warning',
  strict_dropped: 'warning',
  additional_tools_unchanged: 'warning',
  tool_choice_dropped: 'warning',
} as const

/** Requests and answers. */
const conversationSeverities = {
  context_dropped: 'error',
  demand_dropped: 'error',
  media_refused: 'error',
  request_emptied: 'error',
  part_as_text: 'info',
  progress_dropped: 'info',
  orphan_result: 'error',
  missing_result: 'error',
  call_id_missing: 'error',
  call_id_inferred: 'info',
  call_id_rewritten: 'info',
  duplicate_call_id: 'error',
  reasoning_added: 'info',
  result_media_hoisted: 'info',
  role_changed: 'info',
  setting_replaced: 'info',
  setting_merged: 'info',
  turn_cleared: 'info',
  turn_compacted: 'info',
  compaction_empty: 'error',
  result_deferred: 'info',
  output_limit_added: 'info',
  cache_breakpoints_added: 'info',
  tools_refused: 'error',
  identifier_shortened: 'info',
} as const
const conversationWarnings = {
  part_dropped: 'warning',
  media_replaced: 'warning',
  event_dropped: 'warning',
  finish_unknown: 'warning',
  arguments_not_object: 'warning',
  input_unwrapped: 'warning',
  result_repaired: 'warning',
  unpaired_dropped: 'warning',
  duplicate_result: 'warning',
  reasoning_sealed: 'warning',
  reasoning_dropped: 'warning',
  reasoning_as_text: 'warning',
  reasoning_foreign: 'warning',
  reasoning_unreadable: 'warning',
  reasoning_too_long: 'warning',
  compaction_unreadable: 'warning',
  compaction_ignored: 'warning',
  output_limit_raised: 'warning',
  reasoning_switched_off: 'warning',
  effort_changed: 'warning',
  call_not_allowed: 'warning',
  parallel_call_dropped: 'warning',
} as const

const schemaSeverities = {
  schema_too_deep: 'error',
  schema_too_large: 'error',
  schema_normalized: 'info',
  schema_ref_cycle: 'info',
  schema_definition_removed: 'info',
  schema_annotation_removed: 'info',
  schema_rewritten: 'info',
  strict_violation: 'error',
  strict_optional_nullable: 'info',
  strict_object_closed: 'info',
  strict_union_rewritten: 'info',
  strict_all_of_merged: 'info',
  strict_ref_rewritten: 'info',
  strict_type_inferred: 'info',
  strict_keyword_removed: 'info',
} as const
const schemaWarnings = {
  schema_type_unknown: 'warning',
  schema_keyword_invalid: 'warning',
  schema_not_checkable: 'warning',
  schema_ref_unresolved: 'warning',
  schema_expansion_limit: 'warning',
  schema_description_shortened: 'warning',
  schema_keyword_removed: 'warning',
  pattern_invalid: 'warning',
  pattern_not_checked: 'warning',
  strict_keyword_in_description: 'warning',
  strict_root_not_object: 'warning',
  strict_untyped: 'warning',
  strict_open_object: 'warning',
  strict_undeclared_required: 'warning',
  strict_unbounded_array: 'warning',
  strict_union_not_exclusive: 'warning',
  strict_all_of_not_mergeable: 'warning',
  strict_ref_unresolved: 'warning',
  strict_unsupported_keyword: 'warning',
  strict_limit_exceeded: 'warning',
} as const

/** What a provider refuses, or what the author of a tool should know. */
const lintSeverities = {
  too_many_tools: 'error',
  name_characters: 'error',
  name_too_long: 'error',
  description_advised: 'info',
  missing_field: 'error',
  invalid_field: 'error',
  empty_namespace: 'error',
  missing_parameters: 'error',
  missing_root_type: 'error',
  missing_properties: 'error',
  root_keyword_refused: 'error',
  property_name_refused: 'error',
  array_without_items: 'error',
  empty_enum: 'error',
  strict_unstated: 'info',
  tool_choice_undeclared: 'error',
  deferred_without_search: 'error',
  unreadable_file: 'error',
} as const
const lintWarnings = {
  description_too_long: 'warning',
  undeclared_required: 'warning',
  duplicate_key: 'warning',
  number_imprecise: 'warning',
} as const

/** Mistakes in a program rather than in data. These are thrown, and the error has the code. */
const thrownSeverities = {
  invalid_definition: 'error',
  schema_not_convertible: 'error',
  duplicate_tool: 'error',
  unknown_tool: 'error',
} as const

export type ToolCode = keyof typeof toolSeverities | keyof typeof toolWarnings
export type ConversationCode = keyof typeof conversationSeverities | keyof typeof conversationWarnings
export type SchemaCode = keyof typeof schemaSeverities | keyof typeof schemaWarnings
export type LintCode = keyof typeof lintSeverities | keyof typeof lintWarnings
export type ThrownCode = keyof typeof thrownSeverities
/** Every code that a diagnostic can have; they are stable. */
export type DiagnosticCode = ToolCode | ConversationCode | SchemaCode | LintCode | ThrownCode

type Severities = { readonly [Code in DiagnosticCode]: 'info' | 'warning' | 'error' }

// Warnings stand apart: whatever has no entry here is one, and a bundle need not hold their names.
const unlikeWarnings: Partial<Severities> = {
  ...toolSeverities,
  ...conversationSeverities,
  ...schemaSeverities,
  ...lintSeverities,
  ...thrownSeverities,
}

export function severityOf(code: DiagnosticCode): Severities[DiagnosticCode] {
  return unlikeWarnings[code] ?? 'warning'
}

/** How bad each diagnostic is. The call is marked as pure, so that it is left out where nobody asks for the table. */
export const severities: Severities = /* @__PURE__ */ allSeverities()

function allSeverities(): Severities {
  return {
    ...toolSeverities,
    ...conversationSeverities,
    ...schemaSeverities,
    ...lintSeverities,
    ...thrownSeverities,
    ...toolWarnings,
    ...conversationWarnings,
    ...schemaWarnings,
    ...lintWarnings,
  }
}

/** A conversion repairs or survives these; a provider that receives them unchanged, as lint assumes, refuses them. */
export const severitiesAsIs: { readonly [Code in DiagnosticCode]?: 'error' } = {
  mixed_shape: 'error',
  schema_type_unknown: 'error',
  schema_keyword_invalid: 'error',
  schema_ref_unresolved: 'error',
  pattern_invalid: 'error',
}
