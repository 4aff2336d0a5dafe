/**
 * Parts, calls and results in the shapes of Chat, Responses and Messages, for a wire whose own shape is another. Clients
 * mix the wires up, and what they mean is plain. This table is always complete: what a wire can read does not depend on
 * which wires are registered.
 */
import type { JsonObject } from '../../json/object.ts'
import { compact, isObject, own } from '../../json/object.ts'
import type {
  CallPart,
  FilePart,
  ImagePart,
  MediaKind,
  Part,
  ResultPart,
  TextPart,
} from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { Residue } from '../../model/residue.ts'
import { FieldReader } from './field-reader.ts'
import { inputText, textOfValue } from './json-text.ts'
import { decodeSource, sourceOfFileData, sourceOfUrl } from './media.ts'
import type { WireResidue } from './residue.ts'

type Kind = 'text' | 'image' | 'file' | 'call' | 'result'

/** The wire that reads, and what each kind of part is on it. */
export interface OwnForms {
  /** The wire's name in messages. */
  readonly title: string
  readonly residue: WireResidue
  readonly forms: { readonly [K in Kind]: string }
}

/** Decodes the content of a result. */
export type ContentDecoder = (list: readonly unknown[], path: Path) => readonly Part[]

/**
 * Reads a part whose type is not one of the wire's own. Without `decodeContent` the part is inside a result, where calls
 * and results are not read: so a pile of results inside results costs one level.
 */
export function decodeForeignPart(
  value: JsonObject,
  path: Path,
  wire: OwnForms,
  decodeContent: ContentDecoder | undefined,
  report: Report,
): Part | undefined {
  const part = decodeByType(value, path, wire.residue, decodeContent)
  if (part === undefined) return undefined
  const type = String(own(value, 'type'))
  reportForeignShape(`A part of type "${type}"`, into(path, 'type'), part.kind as Kind, wire, report)
  return part
}

/** Media in parts that no two wires share, or that could not be read. */
const mediaTypes: ReadonlyMap<unknown, MediaKind> = new Map<unknown, MediaKind>([
  ['input_audio', 'audio'],
  ['audio', 'audio'],
  ['audio_url', 'audio'],
  ['video', 'video'],
  ['video_url', 'video'],
  ['input_video', 'video'],
  ['image', 'image'],
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['file', 'file'],
  ['input_file', 'file'],
  ['document', 'file'],
  ['container_upload', 'file'],
])

/** The kind of media that an opaque part holds. */
export function mediaOf(value: unknown): MediaKind | undefined {
  return isObject(value) ? mediaTypes.get(own(value, 'type')) : undefined
}

function reportForeignShape(what: string, path: Path, kind: Kind, wire: OwnForms, report: Report): void {
  const form = wire.forms[kind]
  report('mixed_shape', path, `${what} belongs to another wire; on ${wire.title} it is ${form}.`)
}

function decodeByType(
  value: JsonObject,
  path: Path,
  residue: WireResidue,
  decodeContent: ContentDecoder | undefined,
): Part | undefined {
  const fields = new FieldReader(value)
  fields.ignore('type')
  switch (own(value, 'type')) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return decodeText(fields, path, residue)
    case 'image_url':
    case 'input_image':
      return decodeImage(fields, path, residue)
    case 'file':
      return decodeFile(fields, new FieldReader(fields.object('file') ?? {}), path, residue)
    case 'input_file':
      return decodeFile(fields, fields, path, residue)
    case 'image':
    case 'document':
      return decodeMedia(fields, own(value, 'type') === 'image', path, residue)
    case 'tool_use':
      return decodeContent && decodeCall(fields, fields, 'input', path, residue)
    case 'tool_result':
      return decodeContent && decodeResult(value, fields, path, residue, decodeContent)
    default:
      return undefined
  }
}

function decodeText(fields: FieldReader, path: Path, residue: WireResidue): TextPart | undefined {
  const text = fields.string('text')
  return text === undefined
    ? undefined
    : { kind: 'text', text, path, residue: residue.create(path, fields.unread()) }
}

/** The address is a string on Responses, and an object with the detail on Chat. */
function decodeImage(fields: FieldReader, path: Path, residue: WireResidue): ImagePart | undefined {
  const inner = new FieldReader(fields.object('image_url') ?? {})
  const url = fields.string('image_url') ?? inner.string('url')
  if (url === undefined) return undefined
  const detail = inner.string('detail') ?? fields.string('detail')
  const left = movedOut(residue, path, 'image_url', inner, fields)
  return { kind: 'image', path, source: sourceOfUrl(url), ...compact({ detail }), residue: left }
}

/** `inner` holds the fields of the file: those of the part itself, or of an object in it. */
function decodeFile(
  outer: FieldReader,
  inner: FieldReader,
  path: Path,
  residue: WireResidue,
): FilePart | undefined {
  const filename = inner.string('filename')
  const source = decodeFileSource(inner, filename)
  if (source === undefined) return undefined
  const left =
    inner === outer ? residue.create(path, outer.unread()) : movedOut(residue, path, 'file', inner, outer)
  return { kind: 'file', path, source, ...compact({ filename }), residue: left }
}

function decodeFileSource(fields: FieldReader, filename: string | undefined): FilePart['source'] | undefined {
  const data = fields.string('file_data')
  if (data !== undefined) return sourceOfFileData(data, filename).source
  const url = fields.string('file_url')
  if (url !== undefined) return { type: 'url', url }
  const id = fields.string('file_id')
  return id === undefined ? undefined : { type: 'file', id }
}

function decodeMedia(
  fields: FieldReader,
  isImage: boolean,
  path: Path,
  residue: WireResidue,
): ImagePart | FilePart | undefined {
  const inner = new FieldReader(fields.object('source') ?? {})
  const source = decodeSource(inner)
  if (source === undefined || (isImage && source.type === 'text')) return undefined
  const filename = isImage ? undefined : fields.string('title')
  const left = movedOut(residue, path, 'source', inner, fields)
  return isImage
    ? { kind: 'image', path, source, residue: left }
    : { kind: 'file', path, source, ...compact({ filename }), residue: left }
}

/** Residue of a part whose fields were nested in an object under `key`. */
function movedOut(
  residue: WireResidue,
  path: Path,
  key: string,
  inner: FieldReader,
  outer: FieldReader,
): Residue {
  const entries = [...inner.unread([key]), ...outer.unread()]
  return { ...residue.create(path, entries), moved: { from: [key], to: [] } }
}

/** `inner` holds name and input: the call itself, or an object in it. */
function decodeCall(
  outer: FieldReader,
  inner: FieldReader,
  inputKey: 'input' | 'arguments',
  path: Path,
  residue: WireResidue,
  form: CallPart['form'] = 'function',
): CallPart | undefined {
  const name = inner.string('name')
  const input = inputText(inner.value(inputKey))
  if (name === undefined || input === undefined) return undefined
  inner.ignore(inputKey)
  const id = outer.string('id')
  const left =
    inner === outer ? residue.create(path, outer.unread()) : movedOut(residue, path, form, inner, outer)
  return { kind: 'call', form, name, input, path, ...compact({ id }), residue: left }
}

function decodeResult(
  value: JsonObject,
  fields: FieldReader,
  path: Path,
  residue: WireResidue,
  decodeContent: ContentDecoder,
): ResultPart | undefined {
  const content = decodeResultContent(own(value, 'content'), into(path, 'content'), decodeContent)
  if (content === undefined) return undefined
  fields.ignore('content')
  return {
    kind: 'result',
    form: 'function',
    path,
    ...content,
    ...compact({
      callId: fields.string('tool_use_id') ?? fields.string('tool_call_id') ?? fields.string('call_id'),
      name: fields.string('name'),
      isError: fields.boolean('is_error') || undefined,
    }),
    residue: residue.create(path, fields.unread()),
  }
}

function decodeResultContent(
  content: unknown,
  path: Path,
  decodeContent: ContentDecoder,
): Pick<ResultPart, 'content' | 'plain'> | undefined {
  if (Array.isArray(content)) return { content: decodeContent(content, path) }
  if (content === undefined || content === null) return { content: [] }
  const text = textOfValue(content)
  return text === undefined ? undefined : { content: [{ kind: 'text', text, path }], plain: true }
}

/** Chat's message with the role `tool`. */
export function decodeToolMessage(
  message: JsonObject,
  path: Path,
  wire: OwnForms,
  decodeContent: ContentDecoder,
  report: Report,
): ResultPart | undefined {
  const fields = new FieldReader(message)
  for (const key of ['type', 'role']) fields.ignore(key)
  const part = decodeResult(message, fields, path, wire.residue, decodeContent)
  if (part !== undefined) {
    reportForeignShape('A message with the role "tool"', into(path, 'role'), 'result', wire, report)
  }
  return part
}

/** Chat's `tool_calls`; `undefined` if one of them cannot be read. */
export function decodeForeignCalls(
  list: readonly unknown[],
  path: Path,
  wire: OwnForms,
  report: Report,
): CallPart[] | undefined {
  const calls = list.map((value, i) => decodeNestedCall(value, into(path, i), wire.residue))
  if (!calls.every(call => call !== undefined)) return undefined
  reportForeignShape('"tool_calls"', path, 'call', wire, report)
  return calls
}

function decodeNestedCall(value: unknown, path: Path, residue: WireResidue): CallPart | undefined {
  if (!isObject(value)) return undefined
  const outer = new FieldReader(value)
  outer.ignore('type')
  const form = isObject(own(value, 'custom')) ? 'custom' : 'function'
  const inner = outer.object(form)
  if (inner === undefined) return undefined
  // Clients that assemble a stream leave the index of the delta in the call.
  outer.ignore('index')
  const inputKey = form === 'custom' ? 'input' : 'arguments'
  return decodeCall(outer, new FieldReader(inner), inputKey, path, residue, form)
}
