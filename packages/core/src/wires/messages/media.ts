/** Images and documents. Search results are decoded as documents, so that other wires get their text. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { append, compact, isObject, own } from '../../json/object.ts'
import type { FilePart, ImagePart, MediaSource, TextPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { encodeCacheMark } from '../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { decodeSource } from '../kit/media.ts'
import { messagesCacheMark, messagesResidue } from './residue.ts'

export function decodeImage(block: JsonObject, path: Path): ImagePart | undefined {
  const fields = new FieldReader(block)
  fields.ignore('type')
  const read = decodeSourceOf(fields.object('source'))
  if (read === undefined || read.source.type === 'text') return undefined
  const part: Draft<ImagePart> = { kind: 'image', source: read.source, path }
  return messagesResidue.attach(part, [...fields.unread(), ...read.entries])
}

export function decodeFile(block: JsonObject, path: Path): FilePart | undefined {
  const fields = new FieldReader(block)
  fields.ignore('type')
  const source = fields.object('source')
  const read = decodeSourceOf(source)
  if (read === undefined) return source && decodeContentDocument(block, source, path)
  const part: Draft<FilePart> = { kind: 'file', source: read.source, path }
  const filename = fields.string('title')
  if (filename !== undefined) part.filename = filename
  return messagesResidue.attach(part, [...fields.unread(), ...read.entries])
}

function decodeSourceOf(
  source: JsonObject | undefined,
): { source: MediaSource; entries: ResidueEntry[] } | undefined {
  if (source === undefined) return undefined
  const fields = new FieldReader(source)
  const read = decodeSource(fields)
  return read && { source: read, entries: fields.unread(['source']) }
}

/** A document made of text blocks: one text on other wires, restored on this one. */
function decodeContentDocument(block: JsonObject, source: JsonObject, path: Path): FilePart | undefined {
  if (own(source, 'type') !== 'content') return undefined
  const fields = new FieldReader(block)
  for (const key of ['type', 'source']) fields.ignore(key)
  const inner = new FieldReader(source)
  for (const key of ['type', 'content']) inner.ignore(key)
  return readableFile(block, path, own(source, 'content'), ['source', 'content'], fields.string('title'), [
    ...fields.unread(),
    ...inner.unread(['source']),
  ])
}

export function decodeSearchResult(block: JsonObject, path: Path): FilePart | undefined {
  const fields = new FieldReader(block)
  for (const key of ['type', 'content']) fields.ignore(key)
  const title = fields.string('title')
  return readableFile(block, path, own(block, 'content'), ['content'], title, fields.unread())
}

function readableFile(
  block: JsonObject,
  path: Path,
  content: unknown,
  at: Path,
  filename: string | undefined,
  entries: readonly ResidueEntry[],
): FilePart | undefined {
  const texts: string[] = []
  const more: ResidueEntry[] = []
  const list: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }]
  for (const [i, inner] of list.entries()) {
    if (!isObject(inner) || own(inner, 'type') !== 'text') return undefined
    const fields = new FieldReader(inner)
    fields.ignore('type')
    const text = fields.string('text')
    if (text === undefined) return undefined
    texts.push(text)
    append(more, fields.unread(into(at, i)))
  }
  const source = { type: 'text', mediaType: 'text/plain', text: texts.join('\n\n') } as const
  const part: Draft<FilePart> = { kind: 'file', source, path }
  if (filename !== undefined) part.filename = filename
  return messagesResidue.attach(part, [...entries, ...more], [[[], block]])
}

export function encodeImage(part: ImagePart, report: Report): JsonObject | undefined {
  if (part.source.type === 'text') {
    report('part_dropped', part.path, 'Messages takes no image as text; it was left out.')
    return undefined
  }
  if (part.detail !== undefined && part.detail !== 'auto') {
    report(
      'hint_dropped',
      part.path,
      `Messages has no "detail" for images; ${JSON.stringify(part.detail)} was left out.`,
    )
  }
  const written = {
    type: 'image',
    source: encodeSource(part.source),
    ...encodeCacheMark(part, messagesCacheMark),
  }
  return messagesResidue.complete(written, part.residue, report)
}

export function encodeFile(part: FilePart, report: Report): unknown {
  const kept = messagesResidue.original(part.residue)
  if (kept !== undefined) return kept.value
  const written = compact({ type: 'document', source: encodeSource(part.source), title: part.filename })
  const marked = { ...written, ...encodeCacheMark(part, messagesCacheMark) }
  return messagesResidue.complete(marked, part.residue, report)
}

function encodeSource(source: MediaSource): JsonObject {
  switch (source.type) {
    case 'url':
      return { type: 'url', url: source.url }
    case 'file':
      return { type: 'file', file_id: source.id }
    case 'data':
      return { type: 'base64', media_type: source.mediaType, data: source.data }
    case 'text':
      return { type: 'text', media_type: source.mediaType, data: source.text }
  }
}

/** A bare string in a list of blocks. */
export function decodeBareText(text: string, path: Path): TextPart {
  return { kind: 'text', text, path, residue: messagesResidue.create(path, [], [[[], text]]) }
}
