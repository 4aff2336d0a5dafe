/** The content of a Chat message or of a tool's result: a text, or a list of parts. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { OpaquePart, Part, RefusalPart, TextPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { encodeCacheMark, openaiCacheMark } from '../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../kit/field-reader.ts'
import type { ContentDecoder, OwnForms } from '../kit/foreign-parts.ts'
import { decodeForeignPart, mediaOf } from '../kit/foreign-parts.ts'
import { jsonText } from '../kit/json-text.ts'
import { decodeFile, decodeImage, encodeFile, encodeImage } from './media.ts'
import { chatResidue } from './residue.ts'
import { decodeThinking, encodeThinking, isThinking, standsInContent } from './thinking.ts'

export interface Content {
  readonly parts: readonly Part[]
  readonly plain: boolean
}

/** Decodes `content`. Absent or `null` content has no parts; the `null` stays in the residue. Only assistants think. */
export function decodeContent(
  holder: JsonObject,
  path: Path,
  fields: FieldReader,
  defaults: ResidueEntry[],
  report: Report,
  isAssistant = false,
): Content {
  const value = own(holder, 'content')
  if (value === undefined || value === null) return { parts: [], plain: false }
  if (typeof value === 'string') {
    fields.ignore('content')
    return { parts: [{ kind: 'text', text: value, path }], plain: true }
  }
  if (Array.isArray(value)) {
    fields.ignore('content')
    if (value.length === 0) defaults.push([['content'], []])
    const decode = isAssistant ? decodeAssistantPart : decodePart
    return { parts: value.map((part, i) => decode(part, into(path, i), report)), plain: false }
  }
  const text = jsonText(value)
  if (text === undefined) return { parts: [], plain: false }
  fields.ignore('content')
  const residue = chatResidue.create(path, [], [[[], value]])
  return { parts: [{ kind: 'text', text, path, residue }], plain: true }
}

function decodeAssistantPart(value: unknown, path: Path, report: Report): Part {
  return isThinking(value) ? decodeThinking(value, path) : decodePart(value, path, report)
}

/** Inside a result, calls and results are not read. */
export function decodePart(value: unknown, path: Path, report: Report, inResult = false): Part {
  if (typeof value === 'string')
    return { kind: 'text', text: value, path, residue: chatResidue.create(path, [], [[[], value]]) }
  const known = isObject(value) ? decodeKnownPart(value, path, report, inResult) : undefined
  return known ?? opaque(value, path)
}

const ownForms: OwnForms = {
  title: 'Chat',
  residue: chatResidue,
  forms: {
    text: 'a part of type "text"',
    image: 'a part of type "image_url"',
    file: 'a part of type "file"',
    call: 'a member of "tool_calls"',
    result: 'a message with the role "tool"',
  },
}

function opaque(value: unknown, path: Path): OpaquePart {
  const media = mediaOf(value)
  if (media === undefined) return { kind: 'opaque', wire: 'chat', value, path }
  return { kind: 'opaque', wire: 'chat', value, path, media }
}

function decodeKnownPart(value: JsonObject, path: Path, report: Report, inResult: boolean): Part | undefined {
  switch (own(value, 'type')) {
    case 'text':
      return decodeText(value, path)
    case 'refusal':
      return decodeRefusal(value, path)
    case 'image_url':
      return decodeImage(value, path)
    case 'file':
      return decodeFile(value, path)
    default:
      return decodeForeignPart(value, path, ownForms, inResult ? undefined : decodeContentOf(report), report)
  }
}

function decodeContentOf(report: Report): ContentDecoder {
  return (list, at) => list.map((value, i) => decodePart(value, into(at, i), report, true))
}

function decodeText(value: JsonObject, path: Path): TextPart | undefined {
  const fields = new FieldReader(value)
  fields.ignore('type')
  const text = fields.string('text')
  if (text === undefined) return undefined
  const part: Draft<TextPart> = { kind: 'text', text, path }
  return chatResidue.attach(part, fields.unread())
}

/** A refusal may also be a field of the message; its residue shows that this one was in the list. */
function decodeRefusal(value: JsonObject, path: Path): RefusalPart | undefined {
  const fields = new FieldReader(value)
  fields.string('type')
  const text = fields.string('refusal')
  if (text === undefined) return undefined
  return { kind: 'refusal', text, path, residue: chatResidue.create(path, fields.unread()) }
}

/**
 * Encodes the parts as content. One text from another wire becomes a bare string, which every server accepts.
 * `undefined`: there is nothing to write.
 */
export function encodeContent(
  parts: readonly Part[],
  own: boolean,
  plain: boolean | undefined,
  report: Report,
): unknown {
  const [only] = parts
  if (only?.kind === 'text' && parts.length === 1 && (plain || !own) && only.cache === undefined)
    return encodeBareText(only, report)
  const written: unknown[] = []
  for (const part of parts) {
    const said = encodePart(part, report)
    if (said !== undefined) written.push(said)
  }
  return written.length === 0 ? undefined : written
}

function encodeBareText(part: TextPart, report: Report): unknown {
  if (part.residue === undefined) return part.text
  chatResidue.reportForeign(part.residue, report)
  const whole = chatResidue.original(part.residue)?.value
  return whole !== undefined && jsonText(whole) === part.text ? whole : part.text
}

/** One member of a content list; `undefined` if Chat has no place for it, which is reported. */
function encodePart(part: Part, report: Report): unknown {
  switch (part.kind) {
    case 'text':
      if (typeof chatResidue.original(part.residue)?.value === 'string') return part.text
      return chatResidue.restore(
        { type: 'text', text: part.text, ...encodeCacheMark(part, openaiCacheMark) },
        part.residue,
        report,
      )
    case 'refusal':
      return chatResidue.restore({ type: 'refusal', refusal: part.text }, part.residue, report)
    case 'image':
      return encodeImage(part, report)
    case 'file':
      return encodeFile(part, report)
    case 'hosted':
    case 'opaque':
      if (part.wire === 'chat') return part.value
      return reportDropped(part, report)
    default:
      if (standsInContent(part)) return encodeThinking(part, report)
      return reportDropped(part, report)
  }
}

export function reportDropped(part: Part, report: Report): undefined {
  const what = part.kind === 'hosted' ? `a "${part.type}"` : 'this part'
  report('part_dropped', part.path, `Chat has no place for ${what} here; it was left out.`)
}
