/**
 * Parts that clients copy into Chat messages from other wires: Anthropic's blocks and the Responses spelling
 * of texts and images. They are understood, reported, and written in Chat's own shape.
 */

import type { Draft, JsonObject } from '../../json/object.ts'
import { compact, isObject, own } from '../../json/object.ts'
import type {
  CallPart,
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  ResultPart,
  TextPart,
} from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import { createFieldReader } from '../kit/field-reader.ts'
import { decodeImage, sourceOfUrl } from './media.ts'
import { jsonText, withResidue } from './residue.ts'

type PartReader = (value: unknown, path: Path, report: Report) => Part

export function decodeForeignPart(
  value: JsonObject,
  path: Path,
  readPart: PartReader,
  report: Report,
): Part | undefined {
  const part = readForeign(value, path, readPart, report)
  if (part !== undefined) {
    const type = String(own(value, 'type'))
    report(
      'mixed_shape',
      into(path, 'type'),
      `"${type}" is not a part of Chat; it was read as another wire's.`,
    )
  }
  return part
}

function readForeign(value: JsonObject, path: Path, readPart: PartReader, report: Report): Part | undefined {
  switch (own(value, 'type')) {
    case 'input_text':
    case 'output_text': {
      const fields = createFieldReader(value)
      fields.string('type')
      const text = fields.string('text')
      return text === undefined
        ? undefined
        : withResidue<Draft<TextPart>>({ kind: 'text', text, path }, fields.unread())
    }
    case 'input_image':
      return readInputImage(value, path)
    case 'image':
    case 'document':
      return readMediaBlock(value, path)
    case 'tool_use':
      return readToolUse(value, path)
    case 'tool_result':
      return readToolResult(value, path, readPart, report)
    default:
      return undefined
  }
}

function readInputImage(value: JsonObject, path: Path): ImagePart | undefined {
  const url = own(value, 'image_url')
  if (typeof url !== 'string') return decodeImage(value, path)
  const fields = createFieldReader(value)
  fields.string('type')
  fields.string('image_url')
  const detail = fields.string('detail')
  const part: Draft<ImagePart> = { kind: 'image', source: sourceOfUrl(url), path, ...compact({ detail }) }
  return withResidue(part, fields.unread())
}

function readMediaBlock(value: JsonObject, path: Path): ImagePart | FilePart | undefined {
  const fields = createFieldReader(value)
  const isImage = fields.string('type') === 'image'
  const held = fields.object('source')
  if (held === undefined) return undefined
  const inner = createFieldReader(held)
  const source = readSource(inner.string('type'), key => inner.string(key))
  if (source === undefined || (isImage && source.type === 'text')) return undefined
  const filename = isImage ? undefined : fields.string('title')
  const entries = [...fields.unread(), ...inner.unread(['source'])]
  const part: Draft<ImagePart | FilePart> = isImage
    ? { kind: 'image', source, path }
    : { kind: 'file', source, path, ...compact({ filename }) }
  return withResidue(part, entries)
}

function readSource(
  type: string | undefined,
  take: (key: string) => string | undefined,
): MediaSource | undefined {
  if (type === 'url') {
    const url = take('url')
    return url === undefined ? undefined : { type, url }
  }
  if (type === 'file') {
    const id = take('file_id')
    return id === undefined ? undefined : { type, id }
  }
  const mediaType = take('media_type')
  const data = take('data')
  if (mediaType === undefined || data === undefined) return undefined
  if (type === 'base64') return { type: 'data', mediaType, data }
  return type === 'text' ? { type, mediaType, text: data } : undefined
}

function readToolUse(value: JsonObject, path: Path): CallPart | undefined {
  const fields = createFieldReader(value)
  fields.string('type')
  const name = fields.string('name')
  const given = own(value, 'input')
  const input = typeof given === 'string' ? given : given === undefined ? '' : jsonText(given)
  if (name === undefined || input === undefined) return undefined
  fields.ignore('input')
  const id = fields.string('id')
  const part: Draft<CallPart> = { kind: 'call', form: 'function', name, input, path, ...compact({ id }) }
  return withResidue(part, fields.unread())
}

function readToolResult(value: JsonObject, path: Path, readPart: PartReader, report: Report): ResultPart {
  const fields = createFieldReader(value)
  fields.string('type')
  const callId = fields.string('tool_use_id') ?? fields.string('tool_call_id')
  const isError = fields.boolean('is_error') || undefined
  const given = own(value, 'content')
  if (given === null) fields.ignore('content')
  const at = into(path, 'content')
  const part: Draft<ResultPart> = {
    kind: 'result',
    form: 'function',
    path,
    content: [],
    ...compact({ callId, isError }),
  }
  const text = Array.isArray(given) || given === undefined || given === null ? undefined : resultText(given)
  if (text !== undefined) {
    fields.ignore('content')
    part.content = [{ kind: 'text', text, path: at }]
    part.plain = true
  } else if (Array.isArray(given)) {
    fields.ignore('content')
    part.content = given.map((inner, i) => readResultPart(inner, into(at, i), readPart, report))
  }
  return withResidue(part, fields.unread())
}

function resultText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : jsonText(value)
}

/** A result inside a result is nobody's shape; refusing it also bounds the depth of reading. */
function readResultPart(value: unknown, path: Path, readPart: PartReader, report: Report): Part {
  const type = isObject(value) ? own(value, 'type') : undefined
  if (type === 'tool_result' || type === 'tool_use') return { kind: 'opaque', wire: 'chat', value, path }
  return readPart(value, path, report)
}
