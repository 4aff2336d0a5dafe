/** Images and files: by address, by id, or as data in a `data:` URL. */

import type { JsonObject } from '../../json/object.ts'
import { compact } from '../../json/object.ts'
import type { FilePart, ImagePart, MediaSource } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { encodeCacheMark, openaiCacheMark, reportCache } from '../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { sourceOfFileData, sourceOfUrl, urlOfSource } from '../kit/media.ts'
import type { EncodeContext } from './residue.ts'
import { responsesResidue } from './residue.ts'

export function decodeImage(value: JsonObject, path: Path): ImagePart | undefined {
  const fields = new FieldReader(value)
  fields.ignore('type')
  const url = fields.string('image_url')
  // With both, the address is the image and the id stays in the residue.
  const id = url === undefined ? fields.string('file_id') : undefined
  const source: MediaSource | undefined =
    url !== undefined ? sourceOfUrl(url) : id !== undefined ? { type: 'file', id } : undefined
  if (source === undefined) return undefined
  const detail = fields.string('detail')
  const residue = responsesResidue.create(path, fields.unread())
  return detail === undefined
    ? { kind: 'image', source, path, residue }
    : { kind: 'image', source, path, detail, residue }
}

export function encodeImage(part: ImagePart, context: EncodeContext): JsonObject | undefined {
  const { source, detail } = part
  if (source.type === 'text') {
    context.report('part_dropped', part.path, 'Responses takes no image that is given as text.')
    return undefined
  }
  const place = source.type === 'file' ? { file_id: source.id } : { image_url: urlOfSource(source) }
  const mark = encodeCacheMark(part, openaiCacheMark)
  const written = { ...compact({ type: 'input_image', ...place, detail }), ...mark }
  return responsesResidue.restore(written, part.residue, context.report)
}

export function decodeFile(value: JsonObject, path: Path): FilePart | undefined {
  const fields = new FieldReader(value)
  fields.ignore('type')
  const filename = fields.string('filename')
  const defaults: ResidueEntry[] = []
  const source = decodeFileSource(fields, filename, defaults)
  if (source === undefined) return undefined
  const residue = responsesResidue.create(path, fields.unread(), defaults)
  return { kind: 'file', path, source, ...compact({ filename }), residue }
}

function decodeFileSource(
  fields: FieldReader,
  filename: string | undefined,
  defaults: ResidueEntry[],
): MediaSource | undefined {
  const data = fields.string('file_data')
  if (data !== undefined) {
    const { source, isBare } = sourceOfFileData(data, filename)
    if (isBare) defaults.push([['file_data'], data])
    return source
  }
  const url = fields.string('file_url')
  if (url !== undefined) return { type: 'url', url }
  const id = fields.string('file_id')
  return id === undefined ? undefined : { type: 'file', id }
}

/** A document that is plain text is written as a text part. */
export function encodeFile(part: FilePart, textType: string, context: EncodeContext): JsonObject {
  const { source, filename } = part
  if (source.type === 'text') {
    if (filename !== undefined) {
      const message = 'The document was written as text, which has no place for its name.'
      context.report('field_dropped', part.path, message)
    }
    if (textType === 'output_text') reportCache(part, context.report)
    const mark = textType === 'output_text' ? undefined : encodeCacheMark(part, openaiCacheMark)
    const written = { type: textType, text: source.text, ...mark }
    return responsesResidue.restore(written, part.residue, context.report)
  }
  const place =
    source.type === 'file'
      ? { file_id: source.id }
      : source.type === 'url'
        ? { file_url: source.url }
        : { file_data: urlOfSource(source) }
  const mark = encodeCacheMark(part, openaiCacheMark)
  const written = { ...compact({ type: 'input_file', filename, ...place }), ...mark }
  return responsesResidue.restore(written, part.residue, context.report)
}
