/** Citations of a text block. Those of web pages are in the model; the others are residue of the block. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { compact, isObject, own } from '../../json/object.ts'
import type { Citation, TextPart } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import type { EncodeContext } from './residue.ts'
import { messagesResidue } from './residue.ts'

export interface DecodedCitations {
  readonly citations: readonly Citation[]
  readonly entries: readonly ResidueEntry[]
}

export function decodeAnnotations(list: readonly unknown[], path: Path): DecodedCitations {
  const citations: Citation[] = []
  const entries: ResidueEntry[] = []
  const at = into(path, 'citations')
  list.forEach((value, i) => {
    const citation = decodeCitation(value, into(at, i))
    if (citation === undefined) entries.push([['citations', i], value])
    else citations.push(citation)
  })
  return { citations, entries }
}

function decodeCitation(value: unknown, path: Path): Citation | undefined {
  if (!isObject(value)) return undefined
  const type = own(value, 'type')
  if (type !== 'web_search_result_location') return undefined
  const fields = new FieldReader(value)
  fields.ignore('type')
  const url = fields.string('url')
  if (url === undefined) return undefined
  const citation: Draft<Citation> = { url, path }
  const title = fields.string('title')
  if (title !== undefined) citation.title = title
  return messagesResidue.attach(citation, fields.unread(), [[['type'], type]])
}

/** The list in its original order: citations that are residue are inserted at their own positions. */
export function encodeAnnotations(part: TextPart, context: EncodeContext): unknown[] | undefined {
  const { citations, residue } = part
  if (citations === undefined && residue === undefined) return undefined
  const known: unknown[] = []
  for (const citation of citations ?? []) {
    const written = encodeCitation(citation, part, context)
    if (written !== undefined) known.push(written)
  }
  const placed = residue?.wire === 'messages' ? residue.entries : []
  const list: unknown[] = []
  let next = 0
  for (const [path, value] of placed) {
    if (!isPlaced(path)) continue
    while (list.length < Number(path[1]) && next < known.length) list.push(known[next++])
    list.push(value)
  }
  while (next < known.length) list.push(known[next++])
  return list.length === 0 ? undefined : list
}

export function withoutCitations(residue: Residue | undefined): Residue | undefined {
  if (residue?.wire !== 'messages' || !residue.entries.some(([path]) => isPlaced(path))) return residue
  return { ...residue, entries: residue.entries.filter(([path]) => !isPlaced(path)) }
}

function isPlaced(path: Path): boolean {
  return path.length === 2 && path[0] === 'citations' && typeof path[1] === 'number'
}

function encodeCitation(
  citation: Citation,
  { text }: TextPart,
  context: EncodeContext,
): JsonObject | undefined {
  const { url, title, start, end, residue } = citation
  if (residue?.wire === 'messages')
    return messagesResidue.complete(compact({ url, title }), residue, context.report)
  if (context.answer === undefined) {
    // The server verifies the encrypted index, so it refuses citations of other wires in a history.
    context.report('field_dropped', citation.path, 'Messages takes back only citations it made itself.')
    return undefined
  }
  const cited = start === undefined || end === undefined ? '' : text.slice(start, end)
  if (start !== undefined || end !== undefined) {
    context.report('field_dropped', citation.path, 'Messages cites by the words and not by their place.')
  }
  const written = {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: cited,
    encrypted_index: '',
  }
  return messagesResidue.complete(written, residue, context.report)
}
