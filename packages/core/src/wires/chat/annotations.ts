/** Citations, which on Chat are a field of the message and not of the text. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { compact, isObject, own } from '../../json/object.ts'
import type { Citation, TextPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { chatResidue } from './residue.ts'

/** The citations of a message; `undefined` if one of them cannot be read, so that the list stays in the residue. */
export function decodeAnnotations(
  message: JsonObject,
  root: Path,
  fields: FieldReader,
): Citation[] | undefined {
  const list = own(message, 'annotations')
  if (!Array.isArray(list) || list.length === 0) return undefined
  const at = into(root, 'annotations')
  const citations = list.map((item, i) => decodeCitation(item, into(at, i)))
  if (!citations.every(citation => citation !== undefined)) return undefined
  fields.ignore('annotations')
  return citations
}

/** An empty list, which OpenAI writes into every answer, calls too, and clients send back. */
export function takeNoAnnotations(message: JsonObject, fields: FieldReader, defaults: ResidueEntry[]): void {
  const list = own(message, 'annotations')
  if (!Array.isArray(list) || list.length > 0) return
  fields.ignore('annotations')
  defaults.push([['annotations'], list])
}

function decodeCitation(value: unknown, path: Path): Citation | undefined {
  if (!isObject(value)) return undefined
  const outer = new FieldReader(value)
  if (outer.string('type') !== 'url_citation') return undefined
  const held = outer.object('url_citation')
  if (held === undefined) return undefined
  const fields = new FieldReader(held)
  const url = fields.string('url')
  if (url === undefined) return undefined
  const read = {
    title: fields.string('title'),
    start: fields.number('start_index'),
    end: fields.number('end_index'),
  }
  const citation: Draft<Citation> = { url, path, ...compact(read) }
  return chatResidue.attach(citation, [...outer.unread(), ...fields.unread(['url_citation'])])
}

/** The citations of all texts. Positions count from the beginning of the joined texts, after `offset` characters. */
export function encodeAnnotations(texts: readonly TextPart[], report: Report, offset = 0): JsonObject[] {
  const annotations: JsonObject[] = []
  for (const { text, citations = [] } of texts) {
    for (const citation of citations) annotations.push(encodeCitation(citation, offset, report))
    offset += text.length
  }
  return annotations
}

function encodeCitation(
  { url, title, start, end, residue }: Citation,
  offset: number,
  report: Report,
): JsonObject {
  const fields = compact({
    url,
    title,
    start_index: start === undefined ? undefined : start + offset,
    end_index: end === undefined ? undefined : end + offset,
  })
  return chatResidue.restore({ type: 'url_citation', url_citation: fields }, residue, report)
}
