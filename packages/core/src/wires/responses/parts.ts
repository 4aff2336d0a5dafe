/** The parts of a message's content, and of a tool result's. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { append, isObject, own } from '../../json/object.ts'
import type { OpaquePart, Part, RefusalPart, Role, TextPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { encodeCacheMark, openaiCacheMark, reportCache } from '../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../kit/field-reader.ts'
import type { ContentDecoder, OwnForms } from '../kit/foreign-parts.ts'
import { decodeForeignPart } from '../kit/foreign-parts.ts'
import { decodeAnnotations, encodeCitation } from './annotations.ts'
import { decodeFile, decodeImage, encodeFile, encodeImage } from './media.ts'
import type { EncodeContext } from './residue.ts'
import { responsesResidue } from './residue.ts'

/** The server accepts only output parts of an assistant, and only input parts of any other role. */
function textType(role: Role): string {
  return role === 'assistant' ? 'output_text' : 'input_text'
}

export const ownForms: OwnForms = {
  title: 'Responses',
  residue: responsesResidue,
  forms: {
    text: 'a part of type "input_text" or "output_text"',
    image: 'a part of type "input_image", with a string as its address',
    file: 'a part of type "input_file"',
    call: 'an item of type "function_call"',
    result: 'an item of type "function_call_output"',
  },
}

export function opaquePart(value: unknown, path: Path): OpaquePart {
  return { kind: 'opaque', wire: 'responses', value, path }
}

export interface Content {
  readonly parts: readonly Part[]
  /** Some members were bare strings, so the list itself is recorded for this wire. */
  readonly loose: boolean
}

export function decodeContentList(
  list: readonly unknown[],
  path: Path,
  role: Role,
  report: Report,
  decodeContent?: ContentDecoder,
): Content {
  const parts = list.map((value, i) => decodePart(value, into(path, i), role, report, decodeContent))
  return { parts, loose: list.some(value => typeof value === 'string') }
}

export function decodePart(
  value: unknown,
  path: Path,
  role: Role,
  report: Report,
  decodeContent?: ContentDecoder,
): Part {
  if (typeof value === 'string') return { kind: 'text', text: value, path }
  const part = isObject(value) ? decodeKnownPart(value, path, role, report, decodeContent) : undefined
  return part ?? opaquePart(value, path)
}

function decodeKnownPart(
  value: JsonObject,
  path: Path,
  role: Role,
  report: Report,
  decodeContent: ContentDecoder | undefined,
): Part | undefined {
  const type = own(value, 'type')
  switch (type) {
    case 'input_text':
    case 'output_text':
      return decodeText(value, path, type, role)
    case 'refusal':
      return decodeRefusal(value, path)
    case 'input_image':
      return decodeImage(value, path) ?? decodeForeignPart(value, path, ownForms, decodeContent, report)
    case 'input_file':
      return decodeFile(value, path)
    default:
      return decodeForeignPart(value, path, ownForms, decodeContent, report)
  }
}

function decodeText(value: JsonObject, path: Path, type: string, role: Role): TextPart | undefined {
  const fields = new FieldReader(value)
  fields.ignore('type')
  const text = fields.string('text')
  if (text === undefined) return undefined
  const part: Draft<TextPart> = { kind: 'text', text, path }
  const annotations = fields.list('annotations')
  const logprobs = fields.list('logprobs')
  const entries = fields.unread()
  const defaults: ResidueEntry[] = type === textType(role) ? [] : [[['type'], type]]
  if (annotations !== undefined && annotations.length > 0) {
    const read = decodeAnnotations(annotations, path)
    if (read.citations.length > 0) part.citations = read.citations
    append(entries, read.entries)
    append(defaults, read.defaults)
  }
  if (logprobs !== undefined && logprobs.length > 0) part.logprobs = logprobs
  if (annotations?.length === 0) defaults.push([['annotations'], []])
  if (logprobs?.length === 0) defaults.push([['logprobs'], []])
  part.residue = responsesResidue.create(path, entries, defaults)
  return part
}

function decodeRefusal(value: JsonObject, path: Path): RefusalPart | undefined {
  const fields = new FieldReader(value)
  fields.ignore('type')
  const text = fields.string('refusal')
  if (text === undefined) return undefined
  return { kind: 'refusal', text, path, residue: responsesResidue.create(path, fields.unread()) }
}

/** `undefined` if the part has no place in a content list, which is reported. */
function encodePart(part: Part, role: Role, context: EncodeContext): unknown {
  switch (part.kind) {
    case 'text':
      return encodeText(part, role, context)
    case 'refusal':
      return responsesResidue.restore({ type: 'refusal', refusal: part.text }, part.residue, context.report)
    case 'image':
      return encodeImage(part, context)
    case 'file':
      return encodeFile(part, textType(role), context)
    case 'opaque':
      if (part.wire === 'responses') return part.value
      return reportDropped(part, context)
    default:
      return reportDropped(part, context)
  }
}

export function encodeParts(parts: readonly Part[], role: Role, context: EncodeContext): unknown[] {
  const written: unknown[] = []
  for (const part of parts) {
    const said = encodePart(part, role, context)
    if (said !== undefined) written.push(said)
  }
  return written
}

export function reportDropped(part: Part, context: EncodeContext): undefined {
  const what = part.kind === 'hosted' ? `${part.type} item` : `${part.kind} part`
  context.report('part_dropped', part.path, `Responses has no place for this ${what} here; it was left out.`)
  return undefined
}

function encodeText(part: TextPart, role: Role, context: EncodeContext): JsonObject {
  const { text, citations, logprobs } = part
  const type = textType(role)
  const written: Record<string, unknown> = { type, text }
  if (type === 'output_text' || responsesResidue.owns(part.residue)) {
    if (citations !== undefined) {
      written.annotations = citations.map(citation => encodeCitation(citation, part, context))
    } else if (!responsesResidue.owns(part.residue)) written.annotations = []
    if (logprobs !== undefined) written.logprobs = logprobs
    reportCache(part, context.report)
  } else {
    reportInputText(part, context)
    Object.assign(written, encodeCacheMark(part, openaiCacheMark))
  }
  return responsesResidue.restore(written, part.residue, context.report)
}

function reportInputText(part: TextPart, context: EncodeContext): void {
  const message = 'An input text has no place for it; it was left out.'
  for (const citation of part.citations ?? []) context.report('field_dropped', citation.path, message)
  if (part.logprobs !== undefined) context.report('field_dropped', into(part.path, 'logprobs'), message)
}

/** A text whose part would have no other field. */
export function isBareText(part: Part | undefined): part is TextPart {
  return (
    part?.kind === 'text' &&
    part.cache === undefined &&
    !responsesResidue.owns(part.residue) &&
    (part.residue === undefined || part.residue.entries.length === 0) &&
    part.logprobs === undefined &&
    (part.citations === undefined || part.citations.length === 0)
  )
}
