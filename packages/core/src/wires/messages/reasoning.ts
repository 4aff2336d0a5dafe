/** Thinking, open with its signature or redacted. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { own } from '../../json/object.ts'
import type { ReasoningPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { reportResidue } from '../kit/report-residue.ts'
import { messagesResidue } from './residue.ts'

export function decodeThinking(block: JsonObject, path: Path): ReasoningPart | undefined {
  const fields = new FieldReader(block)
  fields.ignore('type')
  const thinking = fields.string('thinking')
  if (thinking === undefined) return undefined
  const value = fields.string('signature')
  const defaults: ResidueEntry[] = own(block, 'signature') === undefined ? [[['signature'], undefined]] : []
  const part: Draft<ReasoningPart> = { kind: 'reasoning', summary: [], text: [thinking], path }
  if (value !== undefined) part.seal = { wire: 'messages', value }
  return messagesResidue.attach(part, fields.unread(), defaults)
}

export function decodeRedactedThinking(block: JsonObject, path: Path): ReasoningPart | undefined {
  const fields = new FieldReader(block)
  fields.ignore('type')
  const value = fields.string('data')
  if (value === undefined) return undefined
  const seal = { wire: 'messages', value, redacted: true } as const
  const part: Draft<ReasoningPart> = { kind: 'reasoning', summary: [], text: [], path, seal }
  return messagesResidue.attach(part, fields.unread())
}

export function encodeReasoning(part: ReasoningPart, report: Report): JsonObject | undefined {
  const { seal, residue, path } = part
  if (seal?.wire === 'messages' && seal.redacted) {
    return messagesResidue.complete({ type: 'redacted_thinking', data: seal.value }, residue, report)
  }
  if (seal !== undefined && seal.wire !== 'messages') {
    report(
      'reasoning_sealed',
      seal.path ?? path,
      'Sealed reasoning means something only to its origin; the seal was left out.',
    )
  }
  const shown = part.text.length > 0 ? part.text : part.summary
  if (shown.length === 0 && seal?.wire !== 'messages') {
    reportResidue(residue, report)
    return undefined
  }
  if (part.text.length > 0 && part.summary.length > 0) {
    report(
      'field_dropped',
      into(path, 'summary'),
      'Messages shows one text of the reasoning; the summary was left out.',
    )
  }
  // Every thinking block needs a signature, even an empty one.
  const signature = seal?.wire === 'messages' ? seal.value : ''
  return messagesResidue.complete(
    { type: 'thinking', thinking: shown.join('\n\n'), signature },
    residue,
    report,
  )
}
