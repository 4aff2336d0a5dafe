/**
 * Reasoning in the fields that vendors have for it: a text (`reasoning_content` or `reasoning`), and a list of details
 * (`reasoning_details`), some of which only their vendor can read.
 */

import type { JsonObject } from '../../json/object.ts'
import { append, isObject, own, setOwn } from '../../json/object.ts'
import { parseJson } from '../../json/text.ts'
import type { ReasoningPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../kit/field-reader.ts'
import { jsonText } from '../kit/json-text.ts'
import { chatResidue } from './residue.ts'

type TextField = 'reasoning_content' | 'reasoning'

export const detailsField = 'reasoning_details'

const nothing: readonly never[] = []

/** Vendors call the text `reasoning_content` or `reasoning`; if both are present, they are equal. */
export function decodeReasoning(
  message: JsonObject,
  root: Path,
  fields: FieldReader,
  defaults: ResidueEntry[],
): readonly ReasoningPart[] {
  const first = decodeText('reasoning_content', root, fields, defaults)
  const second = decodeText('reasoning', root, fields, defaults, first)
  const texts = first === undefined ? second && [second] : second === undefined ? [first] : [first, second]
  const parts = decodeDetails(texts ?? nothing, own(message, detailsField), into(root, detailsField))
  if (parts === undefined) return texts ?? nothing
  fields.ignore(detailsField)
  return parts
}

function decodeText(
  key: TextField,
  root: Path,
  fields: FieldReader,
  defaults: ResidueEntry[],
  before?: ReasoningPart,
): ReasoningPart | undefined {
  const text = fields.string(key)
  if (text === undefined) return undefined
  if (text !== '' && before?.text[0] !== text) {
    return { kind: 'reasoning', summary: [], text: [text], path: into(root, key) }
  }
  defaults.push([[key], text])
  return undefined
}

/**
 * Each value of the details seals the text in its place, or is alone. Without a text, the details are read for one.
 * `undefined` if they are no list of objects.
 */
function decodeDetails(
  texts: readonly ReasoningPart[],
  list: unknown,
  path: Path,
): readonly ReasoningPart[] | undefined {
  if (!areDetails(list)) return undefined
  const values = sealValues(list)
  if (values === undefined) return undefined
  const parts = values.map((value, i) => {
    const text = i === 0 && texts.length === 0 ? textsOfDetails(list) : nothing
    return sealed(texts[i] ?? { kind: 'reasoning', summary: [], text, path }, value)
  })
  return [...parts, ...texts.slice(values.length)]
}

function sealed(part: ReasoningPart, value: string): ReasoningPart {
  return { ...part, seal: { wire: 'chat', value } }
}

export function areDetails(list: unknown): list is readonly JsonObject[] {
  return Array.isArray(list) && list.length > 0 && list.every(isObject)
}

/** One value for each detail that holds nothing else than encrypted data, or else one for the complete list. */
function sealValues(list: readonly JsonObject[]): readonly string[] | undefined {
  const values = list.map(bareData)
  if (values.every(value => value !== undefined)) return values
  const text = jsonText(list)
  return text === undefined ? undefined : [text]
}

const encrypted = 'reasoning.encrypted'

function bareData(detail: JsonObject): string | undefined {
  const data = own(detail, 'data')
  const isBare = own(detail, 'type') === encrypted && Object.keys(detail).length === 2
  return isBare && typeof data === 'string' && !data.startsWith('[') ? data : undefined
}

export function isBareDetail(detail: unknown): boolean {
  return isObject(detail) && bareData(detail) !== undefined
}

/** The details that a seal of this wire stands for. */
function detailsOf(value: string): readonly unknown[] {
  const list = value.startsWith('[') ? parseJson(value) : undefined
  return Array.isArray(list) ? list : [{ type: encrypted, data: value }]
}

/** What people can read of a detail. */
export function textOfDetail(detail: JsonObject): string {
  const text = own(detail, 'text') ?? own(detail, 'summary')
  return typeof text === 'string' ? text : ''
}

function textsOfDetails(list: readonly JsonObject[]): string[] {
  const text = list.map(textOfDetail).join('')
  return text === '' ? [] : [text]
}

/** Fields of a detail that arrive in pieces. */
const pieces: ReadonlySet<string> = new Set(['text', 'summary', 'data'])

/** The details of a stream, in which pieces of one detail have its type and index. */
export function joinDetails(list: readonly JsonObject[]): readonly JsonObject[] {
  const joined = new Map<string, Record<string, unknown>>()
  for (const [at, detail] of list.entries()) {
    const index = own(detail, 'index')
    const key = typeof index === 'number' ? `${String(own(detail, 'type'))} ${index}` : `at ${at}`
    const before = joined.get(key)
    const target = before ?? {}
    if (before === undefined) joined.set(key, target)
    for (const [name, value] of Object.entries(detail)) {
      const known = own(target, name)
      const isPiece = pieces.has(name) && typeof known === 'string' && typeof value === 'string'
      if (isPiece) setOwn(target, name, known + value)
      else if (value !== null || known === undefined) setOwn(target, name, value)
    }
  }
  return [...joined.values()]
}

/** Text is written under the key it was read from; from other wires, under the one that most servers accept. */
export function textFieldOf({ path, seal }: ReasoningPart): TextField | undefined {
  const field = path.at(-1)
  if (field === detailsField && (seal === undefined || seal.wire === 'chat')) return undefined
  return field === 'reasoning' ? 'reasoning' : 'reasoning_content'
}

export function encodeReasoning(
  written: Record<string, unknown>,
  parts: readonly ReasoningPart[],
  report: Report,
): void {
  const texts = new Map<string, string[]>()
  const places = new Map<string, ReasoningPart>()
  for (const part of parts) {
    reportUnwritten(part, report)
    const key = textFieldOf(part)
    if (key === undefined) continue
    const list = texts.get(key) ?? []
    const [first, ...more] = part.text.length > 0 ? part.text : part.summary
    const before = continues(part, places.get(key)) ? list.pop() : undefined
    if (first !== undefined) list.push(before === undefined ? first : before + first)
    append(list, more)
    if (first !== undefined) places.set(key, part)
    if (list.length > 0) texts.set(key, list)
  }
  for (const [key, list] of texts) written[key] = list.join('\n\n')
  const details = encodeDetails(parts)
  if (details.length > 0) written[detailsField] = details
}

export function encodeDetails(parts: readonly ReasoningPart[]): unknown[] {
  return parts.flatMap(({ seal }) => (seal?.wire === 'chat' ? detailsOf(seal.value) : []))
}

function reportUnwritten(part: ReasoningPart, report: Report): void {
  if (part.seal !== undefined && part.seal.wire !== 'chat') {
    const message = 'Signed or encrypted reasoning means something only to its origin; it was left out.'
    report('reasoning_sealed', part.path, message)
  }
  if (part.text.length > 0 && part.summary.length > 0) {
    const message = 'Chat has one text for reasoning; the summary was left out.'
    report('field_dropped', into(part.path, 'summary'), message)
  }
  chatResidue.reportForeign(part.residue, report)
}

/** A stream of Chat that returns to its reasoning after other parts is read as several parts of one text. */
function continues(part: ReasoningPart, before: ReasoningPart | undefined): boolean {
  if (before === undefined) return false
  return isSamePlace(part.path, before.path) || (isReturned(part) && isReturned(before))
}

/** It comes back from the client, in parts that were one text on Chat. */
function isReturned({ residue }: ReasoningPart): boolean {
  return chatResidue.owns(residue)
}

export function isSamePlace(path: Path, other: Path | undefined): boolean {
  const field = path.at(-1)
  if (other?.length !== path.length || (field !== 'reasoning' && field !== 'reasoning_content')) return false
  return path.every((key, i) => key === other[i])
}
