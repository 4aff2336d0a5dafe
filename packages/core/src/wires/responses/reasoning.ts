/** Reasoning items: a summary, the text where the model shows it, and a seal only the server can open. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { compact, isObject, own } from '../../json/object.ts'
import type { ReasoningPart } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { takeDefault } from '../kit/residue.ts'
import type { EncodeContext } from './residue.ts'
import { responsesResidue } from './residue.ts'

export function decodeReasoning(item: JsonObject, path: Path): ReasoningPart {
  const fields = new FieldReader(item)
  fields.ignore('type')
  const summary = decodeTexts(fields, 'summary', 'summary_text')
  const text = decodeTexts(fields, 'content', 'reasoning_text')
  const sealed = fields.string('encrypted_content')
  const defaults = [...summary.defaults, ...text.defaults]
  takeDefault(fields, 'status', 'completed', defaults)
  const entries = [...fields.unread(), ...summary.entries, ...text.entries]
  const part: Draft<ReasoningPart> = { kind: 'reasoning', summary: summary.texts, text: text.texts, path }
  if (sealed !== undefined) part.seal = { wire: 'responses', value: sealed }
  part.residue = responsesResidue.create(path, entries, defaults)
  return part
}

interface Texts {
  readonly texts: readonly string[]
  readonly entries: ResidueEntry[]
  readonly defaults: ResidueEntry[]
}

/** A list with other members stays in the residue, beside its texts. */
function decodeTexts(fields: FieldReader, key: string, type: string): Texts {
  const list = fields.list(key)
  if (list === undefined) return { texts: [], entries: [], defaults: [] }
  const texts = list.map(value =>
    isObject(value) && own(value, 'type') === type ? own(value, 'text') : undefined,
  )
  const known = texts.filter(text => typeof text === 'string')
  const exact =
    known.length === list.length && list.every(value => isObject(value) && Object.keys(value).length === 2)
  if (!exact) return { texts: known, entries: [[[key], list]], defaults: [] }
  return { texts: known, entries: [], defaults: list.length === 0 ? [[[key], []]] : [] }
}

export function encodeReasoning(part: ReasoningPart, context: EncodeContext): JsonObject {
  const { answer, report } = context
  const adds = !responsesResidue.owns(part.residue)
  // Clients of this wire show summaries, and few of them the text itself.
  const shown = adds && answer !== undefined && part.summary.length === 0
  const summary = shown ? part.text : part.summary
  const text = shown ? [] : part.text
  const written = compact({
    type: 'reasoning',
    id: adds ? answer?.newId('rs_') : undefined,
    // Open Responses requires it of every item; OpenAI's reasoning has none.
    status: adds && answer !== undefined ? 'completed' : undefined,
    summary:
      adds || summary.length > 0 ? summary.map(line => ({ type: 'summary_text', text: line })) : undefined,
    content: text.length > 0 ? text.map(line => ({ type: 'reasoning_text', text: line })) : undefined,
    encrypted_content: part.seal?.wire === 'responses' ? part.seal.value : undefined,
  })
  if (part.seal !== undefined && part.seal.wire !== 'responses') {
    const message = 'Reasoning sealed by another provider means nothing here; the seal was left out.'
    report('reasoning_sealed', part.seal.path ?? part.path, message)
  }
  return responsesResidue.restore(written, part.residue, report)
}
