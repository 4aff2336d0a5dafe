/** What lint finds: a diagnostic with a remedy and, when the repair is certain, the edits that make it. */
import type { Diagnostic, Path } from '../model/diagnostic.ts'
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'

/** What a provider would refuse, where, and what to do about it. */
export interface LintFinding extends Diagnostic {
  /** What the author can do, in one sentence. */
  readonly remedy: string
  /** Present only when the repair is certain. */
  readonly fix?: LintFix
  /** How it could look when it is right, where there is no certain repair. */
  readonly example?: LintEdit
}

/** A repair that cannot change the meaning. */
export interface LintFix {
  readonly title: string
  readonly edits: readonly LintEdit[]
}

/** One change that repairs a finding: a new value at a path, or its removal. */
export interface LintEdit {
  readonly path: Path
  /** The new value; an edit without this key removes the value at the path. */
  readonly value?: unknown
}

export function under(base: Path, finding: LintFinding): LintFinding {
  if (base.length === 0) return finding
  return mapPaths(finding, path => [...base, ...path])
}

/** The finding with all its paths changed. */
function mapPaths(
  { fix, example, ...finding }: LintFinding,
  mapPath: (path: Path) => (string | number)[],
): LintFinding {
  const mapEdit = (edit: LintEdit): LintEdit => ({ ...edit, path: mapPath(edit.path) })
  return {
    ...finding,
    path: mapPath(finding.path),
    ...(fix && { fix: { ...fix, edits: fix.edits.map(mapEdit) } }),
    ...(example && { example: mapEdit(example) }),
  }
}

/** For findings that come from the codecs, the conversion and the schema passes. */
const remedies: { readonly [C in DiagnosticCode]?: string } = {
  invalid_request: 'Give an object with a "tools" list.',
  not_a_list: 'Write a list of tools here, even for a single one.',
  invalid_tool: 'Remove this entry, or write a tool object in its place.',
  missing_name: 'Give the tool a name.',
  unknown_type: 'Check the spelling of the type, and whether another wire defines it.',
  mixed_shape: 'Write the tool in the shape of this wire.',
  misplaced_strict: 'Remove it, or put it where this wire reads it if strict mode is meant.',
  legacy_functions: 'Use "tools" and "tool_choice" instead.',
  invalid_tool_choice: 'Use one of the forms this wire defines, or leave the choice out.',
  field_dropped: 'Remove the field, or say it in the description, where the model can read it.',
  hint_dropped: 'Nothing has to be done; the field reaches no model.',
  tool_dropped: 'Repair the tool, or keep it out of requests to this target.',
  hosted_tool_dropped: 'Choose another policy for hosted tools, or declare a function in its place.',
  hosted_tool_passed: 'Declare a function in its place if the target refuses it.',
  tool_choice_dropped: 'Choose a tool that exists on the target.',
  parameters_not_object: 'Describe the arguments as an object with properties.',
  duplicate_tool_name: 'Rename one of the tools.',
  strict_violation: 'Bring the schema into the strict subset, or set "strict" to false.',
}

export function remedyFor(code: DiagnosticCode): string {
  return remedies[code] ?? 'Change the definition so that it does not need this.'
}
