/** Sources of images and files: the URLs of the OpenAI wires, and the source objects of Messages. */
import type { MediaSource } from '../../model/conversation.ts'
import type { FieldReader } from './field-reader.ts'

const scheme = 'data:'
const encoding = ';base64,'

/** A `data:` URL of the plain base64 form becomes its data; every other URL stays one. */
export function sourceOfUrl(url: string): MediaSource {
  const end = url.startsWith(scheme) ? url.indexOf(encoding) : -1
  const mediaType = end > scheme.length ? url.slice(scheme.length, end) : ''
  if (mediaType === '' || mediaType.includes(',')) return { type: 'url', url }
  return { type: 'data', mediaType, data: url.slice(end + encoding.length) }
}

/** `undefined` for a source that has no URL. */
export function urlOfSource(source: MediaSource): string | undefined {
  if (source.type === 'url') return source.url
  return source.type === 'data' ? `${scheme}${source.mediaType}${encoding}${source.data}` : undefined
}

export interface FileData {
  readonly source: MediaSource
  /** It was not a `data:` URL but bare base64, so that its media type is a guess. */
  readonly isBare: boolean
}

export function sourceOfFileData(data: string, filename: string | undefined): FileData {
  const source = sourceOfUrl(data)
  if (source.type === 'data') return { source, isBare: false }
  return { source: { type: 'data', mediaType: guessMediaType(data, filename), data }, isBare: true }
}

/** Nearly all bare base64 is PDF, which shows in its first bytes or in the name of the file. */
function guessMediaType(data: string, filename: string | undefined): string {
  const isPdf = data.startsWith('JVBERi0') || filename?.toLowerCase().endsWith('.pdf') === true
  return isPdf ? 'application/pdf' : 'application/octet-stream'
}

/** The `source` object of an image or document of Messages. */
export function decodeSource(fields: FieldReader): MediaSource | undefined {
  const type = fields.string('type')
  switch (type) {
    case 'url': {
      const url = fields.string('url')
      return url === undefined ? undefined : { type, url }
    }
    case 'file': {
      const id = fields.string('file_id')
      return id === undefined ? undefined : { type, id }
    }
    case 'base64':
    case 'text': {
      const mediaType = fields.string('media_type')
      const data = fields.string('data')
      if (mediaType === undefined || data === undefined) return undefined
      return type === 'text' ? { type, mediaType, text: data } : { type: 'data', mediaType, data }
    }
    default:
      return undefined
  }
}
