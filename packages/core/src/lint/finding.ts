/** What lint finds: a diagnostic with the way out of it and, when there is only one way, the edits that take it. */
import type { Diagnostic, Path } from '../model/diagnostic.ts'

export interface LintFinding extends Diagnostic {
  /** What the author can do, in one sentence. */
  readonly remedy: string
  /** Present only when the repair is certain. */
  readonly fix?: LintFix
}

export interface LintFix {
  readonly title: string
  readonly edits: readonly LintEdit[]
}

export interface LintEdit {
  readonly path: Path
  /** The new value; an edit without this key removes what stands at the path. */
  readonly value?: unknown
}

export function under(base: Path, finding: LintFinding): LintFinding {
  if (base.length === 0) return finding
  const moved = { ...finding, path: [...base, ...finding.path] }
  if (finding.fix === undefined) return moved
  const edits = finding.fix.edits.map(edit => ({ ...edit, path: [...base, ...edit.path] }))
  return { ...moved, fix: { ...finding.fix, edits } }
}
