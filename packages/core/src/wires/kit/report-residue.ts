/** Reports residue that the target wire cannot express, with a code that depends on the field. */
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Residue } from '../../model/residue.ts'

/**
 * Fields that control caching or speed, or identify or label something within its own wire: dropping one changes no
 * meaning.
 */
const hints: ReadonlySet<string> = new Set([
  'async',
  'cache_control',
  'eager_input_streaming',
  'prompt_cache_breakpoint',
  'id',
  'phase',
  'status',
  'system_fingerprint',
])

/** Fields that refer to a conversation stored elsewhere: without them the LLM does not see the earlier turns. */
const contexts: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'thread'])

/** Reports each entry as dropped, except `null`, which carries no information. */
export function reportResidue(residue: Residue | undefined, report: Report): void {
  if (residue === undefined) return
  for (const [path, value] of residue.entries) {
    if (value === null || value === undefined) continue
    report(
      codeFor(path),
      [...residue.at, ...path],
      `The target wire has no place for "${path.join('.')}"; it was left out.`,
    )
  }
}

function codeFor(path: Path): 'context_dropped' | 'hint_dropped' | 'field_dropped' {
  const key = String(path.at(-1))
  if (path.length === 1 && contexts.has(key)) return 'context_dropped'
  return hints.has(key) ? 'hint_dropped' : 'field_dropped'
}
