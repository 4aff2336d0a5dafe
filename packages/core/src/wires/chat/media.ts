/** Images and files on Chat: an address or a data URL, an uploaded file's id, or bare base64. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { compact, isObject, own } from '../../json/object.ts'
import type { FilePart, ImagePart, MediaSource } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { encodeCacheMark, openaiCacheMark } from '../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { sourceOfFileData, sourceOfUrl, urlOfSource } from '../kit/media.ts'
import { chatResidue } from './residue.ts'

export function decodeImage(value: JsonObject, path: Path): ImagePart | undefined {
  const fields = new FieldReader(value)
  fields.string('type')
  const held = own(value, 'image_url')
  const inner = isObject(held) ? new FieldReader(held) : undefined
  const url = inner === undefined ? held : inner.string('url')
  if (typeof url !== 'string') return undefined
  fields.ignore('image_url')
  // A bare string is what Responses has here; servers of Chat take it too often to call it a mistake.
  const defaults: ResidueEntry[] = inner === undefined ? [[['image_url'], url]] : []
  const detail = inner?.string('detail')
  const part: Draft<ImagePart> = { kind: 'image', source: sourceOfUrl(url), path }
  if (detail !== undefined) part.detail = detail
  return chatResidue.attach(part, [...fields.unread(), ...(inner?.unread(['image_url']) ?? [])], defaults)
}

export function encodeImage(part: ImagePart, report: Report): JsonObject | undefined {
  const url = urlOfSource(part.source)
  if (url === undefined) {
    report('part_dropped', part.path, 'Chat takes an image by its address or its data only; it was left out.')
    return undefined
  }
  const mark = encodeCacheMark(part, openaiCacheMark)
  const written = { type: 'image_url', image_url: compact({ url, detail: part.detail }), ...mark }
  return chatResidue.restore(written, part.residue, report)
}

export function decodeFile(value: JsonObject, path: Path): FilePart | undefined {
  const fields = new FieldReader(value)
  fields.string('type')
  const held = fields.object('file')
  if (held === undefined) return undefined
  const inner = new FieldReader(held)
  const filename = inner.string('filename')
  const defaults: ResidueEntry[] = []
  const source = decodeFileSource(inner, filename, defaults)
  if (source === undefined) return undefined
  const part: Draft<FilePart> = { kind: 'file', source, path }
  if (filename !== undefined) part.filename = filename
  return chatResidue.attach(part, [...fields.unread(), ...inner.unread(['file'])], defaults)
}

function decodeFileSource(
  file: FieldReader,
  filename: string | undefined,
  defaults: ResidueEntry[],
): MediaSource | undefined {
  const id = file.string('file_id')
  if (id !== undefined) return { type: 'file', id }
  const data = file.string('file_data')
  if (data === undefined) return undefined
  const { source, isBare } = sourceOfFileData(data, filename)
  if (isBare) defaults.push([['file', 'file_data'], data])
  return source
}

export function encodeFile(part: FilePart, report: Report): JsonObject | undefined {
  const { source, filename } = part
  if (source.type === 'text') return encodeTextDocument(part, source.text, report)
  if (source.type === 'url') {
    report('part_dropped', part.path, 'Chat cannot fetch a file from an address; it was left out.')
    return undefined
  }
  const held = source.type === 'file' ? { file_id: source.id } : { file_data: urlOfSource(source) }
  const mark = encodeCacheMark(part, openaiCacheMark)
  const written = { type: 'file', file: compact({ ...held, filename }), ...mark }
  return chatResidue.restore(written, part.residue, report)
}

/** A document that is only text needs no file. */
function encodeTextDocument(part: FilePart, text: string, report: Report): JsonObject {
  const written = { type: 'text', text, ...encodeCacheMark(part, openaiCacheMark) }
  if (part.filename !== undefined)
    report('field_dropped', part.path, 'The document was written as plain text, without its name.')
  return chatResidue.restore(written, part.residue, report)
}
