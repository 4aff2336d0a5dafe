/**
 * Reasoning as a part of the content, as Mistral writes it: `{ type: 'thinking', thinking: [{ type: 'text', text }] }`. It
 * goes back as such a part. Once it is sealed for its way through a client, it stands in the fields of the message instead,
 * which every client of Chat can read; therefore its signature is residue, and no seal.
 */

import type { Draft, JsonObject } from '../../json/object.ts'
import { isObject, own, setOwn } from '../../json/object.ts'
import type { Part, ReasoningPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { chatResidue } from './residue.ts'

interface Thinking extends JsonObject {
  readonly thinking: readonly unknown[]
}

export function isThinking(value: unknown): value is Thinking {
  return isObject(value) && own(value, 'type') === 'thinking' && Array.isArray(own(value, 'thinking'))
}

/** Whether the part is written among the content. */
export function standsInContent(part: Part): part is ReasoningPart {
  return part.kind === 'reasoning' && part.inContent === true && part.seal === undefined
}

export function decodeThinking(value: Thinking, path: Path): ReasoningPart {
  const list = value.thinking
  const text = textOf(value)
  const fields = new FieldReader(value)
  for (const key of ['type', 'thinking']) fields.ignore(key)
  const defaults: ResidueEntry[] = []
  if (own(value, 'closed') === true) {
    fields.ignore('closed')
    defaults.push([['closed'], true])
  }
  const isPlain = list.length === 1 && list.every(isText) && text !== ''
  if (!isPlain && list.length > 0) defaults.push([['thinking'], list])
  const entries = [...fields.unread(), ...unknownMembers(list)]
  const part: Draft<ReasoningPart> = {
    kind: 'reasoning',
    summary: [],
    text: text === '' ? [] : [text],
    path,
    inContent: true,
  }
  return chatResidue.attach(part, entries, defaults)
}

function unknownMembers(list: readonly unknown[]): ResidueEntry[] {
  return list.flatMap<ResidueEntry>((member, i) => (isText(member) ? [] : [[['thinking', i], member]]))
}

function isText(member: unknown): boolean {
  if (!isObject(member) || own(member, 'type') !== 'text' || Object.keys(member).length !== 2) return false
  return typeof own(member, 'text') === 'string'
}

/** What people can read of it. */
export function textOf({ thinking }: Thinking): string {
  let text = ''
  for (const member of thinking) {
    const piece = isObject(member) && own(member, 'type') === 'text' ? own(member, 'text') : undefined
    if (typeof piece === 'string') text += piece
  }
  return text
}

export function encodeThinking({ text, residue }: ReasoningPart, report: Report): JsonObject {
  const thinking = text.map(section => ({ type: 'text', text: section }))
  return chatResidue.restore({ type: 'thinking', thinking }, residue, report)
}

/** What a piece of a stream holds beyond its text; `undefined` if nothing. */
export function withoutText(value: JsonObject): JsonObject | undefined {
  const list = own(value, 'thinking')
  const thinking = Array.isArray(list) ? list.filter(member => !isText(member)) : []
  const isMore = thinking.length > 0 || Object.keys(value).some(key => key !== 'type' && key !== 'thinking')
  return isMore ? { ...value, thinking } : undefined
}

/** The part that the pieces of a stream add up to: their text, and what they hold beyond it. */
export function joinThinking(text: string, pieces: readonly JsonObject[]): Thinking {
  const thinking: unknown[] = text === '' ? [] : [{ type: 'text', text }]
  const whole: Record<string, unknown> = {}
  for (const piece of pieces) {
    for (const [key, value] of Object.entries(piece)) {
      if (key === 'thinking' && Array.isArray(value)) for (const member of value) thinking.push(member)
      else if (value !== null || own(whole, key) === undefined) setOwn(whole, key, value)
    }
  }
  return { ...whole, type: 'thinking', thinking }
}
