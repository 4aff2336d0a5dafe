/** Images and files: by address, by id, or as data in a `data:` URL. */

import type { JsonObject } from '../../json/object.ts'
import { compact } from '../../json/object.ts'
import type { FilePart, ImagePart, MediaSource } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { createFieldReader } from '../kit/field-reader.ts'
import { restoreOrReport } from '../kit/tool-refs.ts'
import type { EncodeContext } from './residue.ts'
import { residueOf } from './residue.ts'

const frame = ';base64,'

/** A `data:` URL of the plain base64 form is taken apart; every other address is kept as it is. */
export function sourceOfUrl(url: string): MediaSource {
  const end = url.startsWith('data:') ? url.indexOf(frame) : -1
  const mediaType = end > 'data:'.length ? url.slice('data:'.length, end) : ''
  if (mediaType === '' || mediaType.includes(',')) return { type: 'url', url }
  return { type: 'data', mediaType, data: url.slice(end + frame.length) }
}

function dataUrl(source: { readonly mediaType: string; readonly data: string }): string {
  return `data:${source.mediaType}${frame}${source.data}`
}

export function decodeImage(value: JsonObject, path: Path): ImagePart | undefined {
  const fields = createFieldReader(value)
  fields.ignore('type')
  const url = fields.string('image_url')
  // With both, the address is the image and the id is left over.
  const id = url === undefined ? fields.string('file_id') : undefined
  const source: MediaSource | undefined =
    url !== undefined ? sourceOfUrl(url) : id !== undefined ? { type: 'file', id } : undefined
  if (source === undefined) return undefined
  const detail = fields.string('detail')
  const residue = residueOf(path, fields.unread())
  return detail === undefined
    ? { kind: 'image', source, path, residue }
    : { kind: 'image', source, path, detail, residue }
}

export function encodeImage(part: ImagePart, writer: EncodeContext): JsonObject | undefined {
  const { source, detail } = part
  if (source.type === 'text') {
    writer.report('part_dropped', part.path, 'Responses takes no image that is given as text.')
    return undefined
  }
  const place =
    source.type === 'file'
      ? { file_id: source.id }
      : { image_url: source.type === 'url' ? source.url : dataUrl(source) }
  const written = compact({ type: 'input_image', ...place, detail })
  restoreOrReport(written, part.residue, 'responses', writer.report)
  return written
}

export function decodeFile(value: JsonObject, path: Path): FilePart | undefined {
  const fields = createFieldReader(value)
  fields.ignore('type')
  const found = decodeFileSource(fields.string('file_data'), () => {
    const url = fields.string('file_url')
    if (url !== undefined) return { type: 'url', url }
    const id = fields.string('file_id')
    return id === undefined ? undefined : { type: 'file', id }
  })
  if (found === undefined) return undefined
  const filename = fields.string('filename')
  return {
    kind: 'file',
    path,
    source: found.source,
    ...compact({ filename }),
    residue: residueOf(path, fields.unread(), found.quiet),
  }
}

function decodeFileSource(
  data: string | undefined,
  otherwise: () => MediaSource | undefined,
): { source: MediaSource; quiet: ResidueEntry[] } | undefined {
  if (data === undefined) {
    const source = otherwise()
    return source && { source, quiet: [] }
  }
  const source = sourceOfUrl(data)
  if (source.type === 'data') return { source, quiet: [] }
  // Bare base64 does not say what it is.
  const bare: MediaSource = { type: 'data', mediaType: 'application/octet-stream', data }
  return { source: bare, quiet: [[['file_data'], data]] }
}

/** A document given as text is written as text: the model reads the same words. */
export function encodeFile(part: FilePart, textType: string, writer: EncodeContext): JsonObject {
  const { source, filename } = part
  if (source.type === 'text') {
    if (filename !== undefined) {
      const message = 'The document was written as text, which has no place for its name.'
      writer.report('field_dropped', part.path, message)
    }
    const text = { type: textType, text: source.text }
    restoreOrReport(text, part.residue, 'responses', writer.report)
    return text
  }
  const place =
    source.type === 'file'
      ? { file_id: source.id }
      : source.type === 'url'
        ? { file_url: source.url }
        : { file_data: dataUrl(source) }
  const written = compact({ type: 'input_file', filename, ...place })
  restoreOrReport(written, part.residue, 'responses', writer.report)
  return written
}
