/** How an answer ends. Whether it calls tools is decided by its calls, since many servers write `stop` with them. */

import type { Answer, FinishReason } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import { reasonOfWord } from '../../kit/finish-words.ts'
import { isFunctionCallField } from '../calls.ts'
import { chatResidue } from '../residue.ts'

/** The reason in the model for a `finish_reason` and the parts of the answer. */
export function decodeFinishReason(raw: string | undefined, parts: readonly Part[]): FinishReason {
  const hasCalls = parts.some(part => part.kind === 'call')
  // An empty word says nothing, like none.
  if (raw === undefined || raw.trim() === '') return hasCalls ? 'calls' : 'unfinished'
  const reason = reasonOfWord(raw)
  if (parts.some(isLostCall)) return reason === 'stop' || reason === 'calls' ? 'unfinished' : reason
  if (reason !== 'stop' && reason !== 'calls') return reason
  if (hasCalls) return 'calls'
  return parts.some(part => part.kind === 'refusal') ? 'refusal' : 'stop'
}

/** A call without a name, which nobody can run. Without it the answer is not what the model meant to say. */
function isLostCall({ kind, path }: Part): boolean {
  return kind === 'opaque' && path.at(-2) === 'tool_calls'
}

/** The answer was cut off in the middle. */
export function isCutShort(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'filter' || reason === 'unfinished' || reason === 'cancelled'
}

/** A call that was being written when the answer was cut must not be run, even if its JSON parses. */
export function markTruncated(parts: readonly Part[], reason: FinishReason): readonly Part[] {
  const last = parts.at(-1)
  if (!isCutShort(reason) || last?.kind !== 'call') return parts
  return parts.with(-1, { ...last, status: 'incomplete' })
}

function isCutCall(part: Part): boolean {
  return part.kind === 'call' && part.status === 'incomplete'
}

/** The `finish_reason`; `undefined` if the answer was read from Chat and had none. */
export function encodeFinish(answer: Answer, parts: readonly Part[], report: Report): string | undefined {
  const { reason, raw, stopSequence } = answer.finish
  if (chatResidue.owns(answer.residue) && decodeFinishReason(raw, parts) === reason) return raw
  if (stopSequence !== undefined) {
    report('field_dropped', ['stop_sequence'], 'Chat does not say which stop sequence was met.')
  }
  switch (reason) {
    case 'calls': {
      if (parts.some(isCutCall)) return 'length'
      const calls = parts.filter(part => part.kind === 'call')
      return calls.length > 0 && calls.every(isFunctionCallField) ? 'function_call' : 'tool_calls'
    }
    case 'length':
      return 'length'
    case 'filter':
      return 'content_filter'
    case 'refusal':
      return parts.some(part => part.kind === 'refusal') ? 'stop' : 'content_filter'
    case 'stop':
      return parts.some(isCutCall) ? 'length' : 'stop'
    case 'pause':
    case 'failed':
    case 'cancelled':
    case 'unfinished': {
      const word = reason === 'pause' ? 'stop' : 'length'
      report(
        'field_dropped',
        [],
        `Chat has no word for an answer that is "${raw ?? reason}"; it says "${word}".`,
      )
      return word
    }
  }
}
