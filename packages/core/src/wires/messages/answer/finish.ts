/** Why an answer ended: `stop_reason` and `stop_sequence`. */
import type { Draft } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Answer, Finish, FinishReason } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { FieldReader } from '../../kit/field-reader.ts'
import { reasonOfWord, reportFinish } from '../../kit/finish-words.ts'
import { messagesResidue } from '../residue.ts'

export function decodeFinish(fields: FieldReader, calls: Calls, report: Report): Finish {
  const raw = fields.string('stop_reason')
  reportFinish(raw, ['stop_reason'], report)
  const finish: Draft<Finish> = { reason: decodeFinishReason(raw, calls) }
  if (raw !== undefined) finish.raw = raw
  const stopSequence = fields.string('stop_sequence')
  if (stopSequence !== undefined) finish.stopSequence = stopSequence
  return finish
}

/** Whether an answer has calls, and whether one was lost because it had no name. */
export type Calls = 'none' | 'some' | 'lost'

/** Whether there are calls to answer is decided by the content, since some servers give another reason. */
export function decodeFinishReason(raw: string | undefined, calls: Calls): FinishReason {
  if (raw === undefined) return 'unfinished'
  const reason = reasonOfWord(raw)
  if (reason !== 'stop' && reason !== 'calls') return reason
  if (calls === 'lost') return 'unfinished'
  return calls === 'some' ? 'calls' : 'stop'
}

export function callsIn(parts: readonly Part[]): Calls {
  if (parts.some(isLostCall)) return 'lost'
  return hasCalls(parts) ? 'some' : 'none'
}

export function isLostCall(part: Part): boolean {
  return part.kind === 'opaque' && isObject(part.value) && own(part.value, 'type') === 'tool_use'
}

/** Whether the answer broke off in its last block. A refusal may come after complete blocks. */
export function isCutShort(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'filter' || reason === 'unfinished' || reason === 'cancelled'
}

/** In an answer that was cut short, the last block is the one that was cut. */
export function markTruncated(parts: readonly Part[], reason: FinishReason): readonly Part[] {
  const last = parts.at(-1)
  if (last?.kind !== 'call' || !isCutShort(reason)) return parts
  return [...parts.slice(0, -1), { ...last, status: 'incomplete' }]
}

/** What the content contributes to the stop reason. */
export interface ContentFacts {
  calls: boolean
  refusal: boolean
  /** A call was cut short. */
  cutCall: boolean
}

export function factsOf(parts: readonly Part[]): ContentFacts {
  return {
    calls: hasCalls(parts),
    refusal: parts.some(({ kind }) => kind === 'refusal'),
    cutCall: parts.some(part => part.kind === 'call' && part.status === 'incomplete'),
  }
}

function hasCalls(parts: readonly Part[]): boolean {
  return parts.some(({ kind }) => kind === 'call')
}

/** The stop reason shows that the calls must not be run, so their status need not be reported. */
export function isCut({ reason }: Finish, stop: string | undefined): boolean {
  return isCutShort(reason) || stop === 'max_tokens'
}

export function encodeFinish(
  { finish, residue }: Omit<Answer, 'turns'>,
  facts: ContentFacts,
  report: Report,
): string | undefined {
  // If an adaptation has changed the reason of this wire's own answer, `raw` is gone and the reason is encoded again.
  const isKept = finish.raw !== undefined || finish.reason === 'unfinished'
  if (messagesResidue.owns(residue) && isKept) return finish.raw
  switch (finish.reason) {
    case 'stop':
    case 'calls':
      // "tool_use" would make the client run a call that was cut short.
      if (facts.cutCall) return 'max_tokens'
      if (finish.reason === 'calls' || facts.calls) return 'tool_use'
      if (facts.refusal) return 'refusal'
      return finish.stopSequence === undefined ? 'end_turn' : 'stop_sequence'
    case 'length':
      return 'max_tokens'
    case 'filter':
    case 'refusal':
      return 'refusal'
    case 'pause':
      return finish.raw === 'compaction' ? finish.raw : 'pause_turn'
    // Clients wait for a word, or take none for a proper end.
    case 'cancelled':
    case 'failed':
    case 'unfinished': {
      const end = finish.raw ?? finish.reason
      report(
        'field_dropped',
        ['status'],
        `Messages has no word for an answer that is "${end}"; it says "max_tokens".`,
      )
      return 'max_tokens'
    }
  }
}
