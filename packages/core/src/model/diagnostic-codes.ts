/**
 * Every diagnostic code and how grave it is. A code, once released, keeps its meaning and is never reused;
 * its explanation stands in `diagnostics/catalog.ts`, whose type demands an entry for each code here.
 */

export const severities = {
  // Reading tool definitions
  invalid_request: 'error',
  not_a_list: 'error',
  invalid_tool: 'error',
  missing_name: 'error',
  missing_description: 'error',
  unknown_type: 'warning',
  mixed_shape: 'info',
  misplaced_strict: 'warning',
  legacy_functions: 'info',
  additional_tools_merged: 'info',

  // Fitting them to the target
  field_dropped: 'warning',
  hint_dropped: 'info',
  tool_dropped: 'warning',
  unknown_tool_passed: 'warning',
  unknown_tool_refused: 'error',
  hosted_tool_dropped: 'warning',
  hosted_tool_emulated: 'info',
  hosted_tool_handled: 'info',
  hosted_tool_mapped: 'info',
  hosted_tool_passed: 'warning',
  hosted_tool_refused: 'error',
  custom_tool_wrapped: 'info',
  namespace_flattened: 'info',
  tool_renamed: 'info',
  duplicate_tool_name: 'warning',
  parameters_defaulted: 'info',
  parameters_root_typed: 'info',
  parameters_not_object: 'error',
  strict_auto_resolved: 'info',

  // Tool choice
  invalid_tool_choice: 'error',
  tool_choice_dropped: 'warning',
  tool_choice_without_tools: 'info',
  allowed_tools_applied: 'info',
  tool_not_allowed: 'info',
  parallel_tool_calls_dropped: 'info',
} as const satisfies Record<string, 'info' | 'warning' | 'error'>

export type DiagnosticCode = keyof typeof severities
