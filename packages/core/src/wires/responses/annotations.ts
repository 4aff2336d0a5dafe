/** The annotations of an output text. Links are citations; the others are residue. */

import { compact, isObject, own } from '../../json/object.ts'
import type { Citation, TextPart } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import type { EncodeContext } from './residue.ts'
import { responsesResidue } from './residue.ts'

export interface Annotations {
  readonly citations: readonly Citation[]
  readonly entries: ResidueEntry[]
  readonly defaults: ResidueEntry[]
}

/**
 * Annotations that are not links are residue, each under its own path. The complete list is recorded beside them: it is
 * restored last, so that every annotation is in its position again.
 */
export function decodeAnnotations(list: readonly unknown[], path: Path): Annotations {
  const citations: Citation[] = []
  const entries: ResidueEntry[] = []
  const at = into(path, 'annotations')
  list.forEach((annotation, i) => {
    const citation = decodeCitation(annotation, into(at, i))
    if (citation === undefined) entries.push([['annotations', i], annotation])
    else citations.push(citation)
  })
  return { citations, entries, defaults: entries.length === 0 ? [] : [[['annotations'], list]] }
}

function decodeCitation(value: unknown, path: Path): Citation | undefined {
  if (!isObject(value) || own(value, 'type') !== 'url_citation') return undefined
  const fields = new FieldReader(value)
  fields.ignore('type')
  const url = fields.string('url')
  if (url === undefined) return undefined
  const read = {
    title: fields.string('title'),
    start: fields.number('start_index'),
    end: fields.number('end_index'),
  }
  return { url, path, ...compact(read), residue: responsesResidue.create(path, fields.unread()) }
}

/** A citation without positions covers its whole text. */
export function encodeCitation(citation: Citation, text: TextPart, context: EncodeContext): unknown {
  const { url, title, start, end } = citation
  const written = responsesResidue.owns(citation.residue)
    ? compact({ type: 'url_citation', url, title, start_index: start, end_index: end })
    : {
        type: 'url_citation',
        url,
        title: title ?? '',
        start_index: start ?? 0,
        end_index: end ?? text.text.length,
      }
  return responsesResidue.restore(written, citation.residue, context.report)
}
