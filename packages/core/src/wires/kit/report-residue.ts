/** Reports residue that the target wire cannot express, with a code that depends on the field. */
import { isObject, own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Residue } from '../../model/residue.ts'

/**
 * Fields that control caching, speed or cost, ask for more to be told about the answer, or identify or label something within
 * its own wire: dropping one changes no meaning.
 */
const hints: ReadonlySet<string> = new Set([
  'async',
  'cache_control',
  'client_metadata',
  'eager_input_streaming',
  'external_web_access',
  'internal_chat_message_metadata_passthrough',
  'prompt_cache_breakpoint',
  'id',
  'max_uses',
  'phase',
  'search_content_types',
  'status',
  'system_fingerprint',
])

/** The same for fields of a request, with what is inside them. How much the model is to think is also a setting. */
const requestHints: readonly RegExp[] = [
  /^include\b/,
  /^reasoning\.(summary|generate_summary|context)$/,
  /^thinking\b/,
]

/** Fields that refer to turns stored elsewhere: without them the LLM does not see these. */
const contexts: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'prompt', 'thread'])

/** Reports each entry as dropped, except `null`, which carries no information. */
export function reportResidue(residue: Residue | undefined, report: Report): void {
  if (residue === undefined) return
  for (const [path, value] of residue.entries) {
    if (value === null || value === undefined) continue
    report(
      codeFor(path, value, residue.at.length === 0),
      [...residue.at, ...path],
      `The target wire has no place for "${path.join('.')}"; it was left out.`,
    )
  }
}

function codeFor(
  path: Path,
  value: unknown,
  isOfRequest: boolean,
): 'context_dropped' | 'hint_dropped' | 'field_dropped' {
  const key = String(path.at(-1))
  if (hints.has(key)) return 'hint_dropped'
  if (!isOfRequest) return 'field_dropped'
  // Some servers have an empty list of this name in their answers.
  if (path.length === 1 && contexts.has(key) && !Array.isArray(value)) return 'context_dropped'
  const place = path.join('.')
  const isHint = requestHints.some(pattern => pattern.test(place)) || isClearing(place, value)
  return isHint ? 'hint_dropped' : 'field_dropped'
}

/** Clearing old thinking and results saves tokens; a model that sees them knows more, not less. */
function isClearing(place: string, value: unknown): boolean {
  if (place !== 'context_management' || !isObject(value)) return false
  const edits = own(value, 'edits')
  const isClear = (edit: unknown): boolean => isObject(edit) && String(own(edit, 'type')).startsWith('clear_')
  return Array.isArray(edits) && edits.every(isClear)
}
