/**
 * The words by which answers end, of all vendors: servers that imitate one wire write the words of another. A word that
 * is not here may mean anything, so the answer counts as incomplete and its word is reported.
 */
import type { FinishReason } from '../../model/answer.ts'
import type { Path, Report } from '../../model/diagnostic.ts'

const words: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    stop: ['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'complete', 'completed'],
    calls: ['tool_calls', 'tool_call', 'tool_use', 'function_call'],
    length: ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'model_context_window_exceeded'],
    filter: ['content_filter', 'safety', 'sensitive'],
    refusal: ['refusal'],
    pause: ['pause_turn', 'compaction'],
    failed: ['error'],
    cancelled: ['abort', 'aborted', 'cancelled'],
  }).flatMap(([reason, all]) => all.map(word => [word, reason as FinishReason] as const)),
)

/** What a word means; `unfinished` if nobody documents it. */
export function reasonOfWord(word: string): FinishReason {
  return words.get(word.toLowerCase()) ?? 'unfinished'
}

/** Reports a word that is not known. Without a word there is nothing to report. */
export function reportFinish(word: string | undefined, path: Path, report: Report): void {
  if (word === undefined || word.trim() === '' || words.has(word.toLowerCase())) return
  reportUnknownFinish(word, path, report)
}

export function reportUnknownFinish(word: string, path: Path, report: Report): void {
  report(
    'finish_unknown',
    path,
    `The answer ends with "${word}", which is not a documented word; it counts as incomplete.`,
  )
}
