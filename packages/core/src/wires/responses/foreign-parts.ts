/**
 * Parts and messages in another wire's shape. Clients mix the wires up, and seed documents teach it; what is
 * meant is plain, so it is read, reported, and written in this wire's own shape.
 */

import type { JsonObject } from '../../json/object.ts'
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
import type { Residue } from '../../model/residue.ts'
import type { FieldReader } from '../kit/field-reader.ts'
import { createFieldReader } from '../kit/field-reader.ts'
import { sourceOfUrl } from './media.ts'
import { jsonText, reportMixedShape, residueOf } from './residue.ts'

/** Reads the content of a result. Not given inside a result: results hold no results, so a pile of them costs one level. */
export type InnerReader = (list: readonly unknown[], path: Path) => readonly Part[]

export function readForeignPart(
  value: JsonObject,
  path: Path,
  readInner: InnerReader | undefined,
  report: Report,
): Part | undefined {
  switch (own(value, 'type')) {
    case 'text':
      return readText(value, path, report)
    case 'image_url':
    case 'input_image':
      return readNestedImage(value, path, report)
    case 'file':
      return readNestedFile(value, path, report)
    case 'image':
      return readImageBlock(value, path, report)
    case 'tool_use':
      return readInner && readToolUse(value, path, report)
    case 'tool_result':
      return readInner && readToolResult(value, path, readInner, report)
    default:
      return undefined
  }
}

function readText(value: JsonObject, path: Path, report: Report): TextPart | undefined {
  const fields = createFieldReader(value)
  fields.ignore('type')
  const text = fields.string('text')
  if (text === undefined) return undefined
  reportMixedShape(into(path, 'type'), 'A part of type "text"', 'an input_text or output_text', report)
  return { kind: 'text', text, path, residue: residueOf(path, fields.unread()) }
}

/** Chat keeps the address one level deeper. */
function readNestedImage(value: JsonObject, path: Path, report: Report): ImagePart | undefined {
  const fields = createFieldReader(value)
  fields.ignore('type')
  const inner = fields.object('image_url')
  const bare = fields.string('image_url')
  const innerFields = createFieldReader(inner ?? {})
  const url = bare ?? innerFields.string('url')
  if (url === undefined) return undefined
  const detail = innerFields.string('detail') ?? fields.string('detail')
  reportMixedShape(
    into(path, 'image_url'),
    'An image in this shape',
    'an input_image with a text address',
    report,
  )
  const residue = movedOut(path, 'image_url', innerFields, fields)
  return { kind: 'image', path, source: sourceOfUrl(url), ...compact({ detail }), residue }
}

function readNestedFile(value: JsonObject, path: Path, report: Report): FilePart | undefined {
  const fields = createFieldReader(value)
  fields.ignore('type')
  const inner = createFieldReader(fields.object('file') ?? {})
  const data = inner.string('file_data')
  const id = data === undefined ? inner.string('file_id') : undefined
  const source: MediaSource | undefined =
    data !== undefined ? fileData(data) : id !== undefined ? { type: 'file', id } : undefined
  if (source === undefined) return undefined
  reportMixedShape(into(path, 'file'), 'A file in this shape', 'an input_file', report)
  const filename = inner.string('filename')
  const residue = movedOut(path, 'file', inner, fields)
  return { kind: 'file', path, source, ...compact({ filename }), residue }
}

function fileData(data: string): MediaSource {
  const source = sourceOfUrl(data)
  return source.type === 'data' ? source : { type: 'data', mediaType: 'application/octet-stream', data }
}

function readImageBlock(value: JsonObject, path: Path, report: Report): ImagePart | undefined {
  const fields = createFieldReader(value)
  fields.ignore('type')
  const inner = createFieldReader(fields.object('source') ?? {})
  const source = readBlockSource(inner)
  if (source === undefined) return undefined
  reportMixedShape(into(path, 'type'), 'An image block', 'an input_image', report)
  return { kind: 'image', path, source, residue: movedOut(path, 'source', inner, fields) }
}

function readBlockSource(fields: FieldReader): MediaSource | undefined {
  const kind = fields.string('type')
  if (kind === 'url') {
    const url = fields.string('url')
    return url === undefined ? undefined : { type: 'url', url }
  }
  const data = kind === 'base64' ? fields.string('data') : undefined
  const mediaType = data === undefined ? undefined : fields.string('media_type')
  return data === undefined || mediaType === undefined ? undefined : { type: 'data', mediaType, data }
}

/** What is left of a part whose fields stood one level deeper than they do here. */
function movedOut(path: Path, key: string, inner: FieldReader, outer: FieldReader): Residue {
  const entries = [...inner.unread([key]), ...outer.unread()]
  return { wire: 'responses', at: path, entries, moved: { from: [key], to: [] } }
}

function readToolUse(value: JsonObject, path: Path, report: Report): CallPart | undefined {
  const fields = createFieldReader(value)
  fields.ignore('type')
  const name = fields.string('name')
  const given = fields.value('input')
  const input = typeof given === 'string' ? given : given === undefined ? '' : jsonText(given)
  if (name === undefined || input === undefined) return undefined
  reportMixedShape(into(path, 'type'), 'A tool_use block', 'a function_call item', report)
  const id = fields.string('id')
  const residue = residueOf(path, fields.unread())
  return { kind: 'call', form: 'function', name, input, path, ...compact({ id }), residue }
}

export function readToolResult(
  value: JsonObject,
  path: Path,
  readInner: InnerReader,
  report: Report,
): ResultPart | undefined {
  const fields = createFieldReader(value)
  for (const key of ['type', 'role']) fields.ignore(key)
  const read = readResultContent(fields, into(path, 'content'), readInner)
  if (read === undefined) return undefined
  const isBlock = own(value, 'type') === 'tool_result'
  const what = isBlock ? 'A tool_result block' : 'A message with the role "tool"'
  reportMixedShape(into(path, isBlock ? 'type' : 'role'), what, 'a function_call_output item', report)
  return {
    kind: 'result',
    form: 'function',
    path,
    ...read,
    ...compact({
      callId: fields.string('tool_use_id') ?? fields.string('tool_call_id') ?? fields.string('call_id'),
      name: fields.string('name'),
      isError: fields.boolean('is_error'),
    }),
    residue: residueOf(path, fields.unread()),
  }
}

function readResultContent(
  fields: FieldReader,
  path: Path,
  readInner: InnerReader,
): { content: readonly Part[]; plain?: boolean } | undefined {
  const list = fields.list('content')
  if (list !== undefined) return { content: readInner(list, path) }
  const given = fields.value('content')
  if (given === undefined) return { content: [] }
  const text = typeof given === 'string' ? given : jsonText(given)
  return text === undefined ? undefined : { content: [{ kind: 'text', text, path }], plain: true }
}

/** The calls of a Chat message, or `undefined` when one of them cannot be read. */
export function readToolCalls(list: readonly unknown[], path: Path, report: Report): CallPart[] | undefined {
  const calls = list.map((value, i) => readToolCall(value, into(path, i)))
  if (!calls.every(call => call !== undefined)) return undefined
  reportMixedShape(path, '"tool_calls"', 'a function_call item for each', report)
  return calls
}

function readToolCall(value: unknown, path: Path): CallPart | undefined {
  if (!isObject(value)) return undefined
  const outer = createFieldReader(value)
  outer.ignore('type')
  const form = isObject(own(value, 'custom')) ? 'custom' : 'function'
  const inner = outer.object(form)
  if (inner === undefined) return undefined
  const fields = createFieldReader(inner)
  const name = fields.string('name')
  const given = fields.value(form === 'custom' ? 'input' : 'arguments')
  const input = typeof given === 'string' ? given : given === undefined ? '' : jsonText(given)
  if (name === undefined || input === undefined) return undefined
  const id = outer.string('id')
  outer.ignore('index')
  const residue = movedOut(path, form, fields, outer)
  return { kind: 'call', form, name, input, path, ...compact({ id }), residue }
}
