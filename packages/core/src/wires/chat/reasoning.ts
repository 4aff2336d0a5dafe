/**
 * Reasoning in the fields that vendors have for it: a text (`reasoning_content` or `reasoning`), and a list of details
 * (`reasoning_details`, or `thinking_blocks` in the shape of Messages), some of which only their vendor can read.
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
const blocksField = 'thinking_blocks'

export type DetailsField = typeof detailsField | typeof blocksField

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
  const details = detailsIn(message)
  const parts = details && decodeDetails(texts ?? nothing, details.list, into(root, details.field))
  if (details === undefined || parts === undefined) return texts ?? nothing
  fields.ignore(details.field)
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
 * `undefined` if they cannot be written as a text.
 */
function decodeDetails(
  texts: readonly ReasoningPart[],
  list: readonly JsonObject[],
  path: Path,
): readonly ReasoningPart[] | undefined {
  const values = sealValues(list)
  if (values === undefined) return undefined
  const parts = values.map((value, i) => {
    const text = i === 0 && texts.length === 0 ? textsOfDetails(list) : nothing
    return sealed(texts[i] ?? { kind: 'reasoning', summary: [], text, path }, value, path)
  })
  return [...parts, ...texts.slice(values.length)]
}

function sealed(part: ReasoningPart, value: string, path: Path): ReasoningPart {
  return { ...part, seal: { wire: 'chat', value, ...(path !== part.path && { path }) } }
}

interface Details {
  readonly field: DetailsField
  readonly list: readonly JsonObject[]
}

/** The details of a message or a delta, in the first field that has them. */
export function detailsIn(holder: JsonObject): Details | undefined {
  return [detailsField, blocksField].flatMap(field => {
    const list = own(holder, field)
    const isList = Array.isArray(list) && list.length > 0 && list.every(isObject)
    return isList && fieldOf(list) === field ? [{ field, list }] : []
  })[0]
}

const blockTypes: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/** Their types tell the two lists apart. */
export function fieldOf(list: readonly unknown[]): DetailsField {
  return list.every(item => isObject(item) && blockTypes.has(own(item, 'type'))) ? blocksField : detailsField
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
  const text = own(detail, 'text') ?? own(detail, 'summary') ?? own(detail, 'thinking')
  return typeof text === 'string' ? text : ''
}

function textsOfDetails(list: readonly JsonObject[]): string[] {
  const text = list.map(textOfDetail).join('')
  return text === '' ? [] : [text]
}

/** Fields of a detail that arrive in pieces. */
const pieces: ReadonlySet<string> = new Set(['text', 'summary', 'data', 'thinking'])

/** The details of a stream, in which pieces of one detail have its type and index. Blocks end with their signature. */
export function joinDetails(list: readonly JsonObject[]): readonly JsonObject[] {
  const joined = new Map<string, Record<string, unknown>>()
  let signed = 0
  for (const [at, detail] of list.entries()) {
    const index = own(detail, 'index')
    const type = String(own(detail, 'type'))
    const isBlock = type === 'thinking' && typeof index !== 'number'
    const key = isBlock ? `block ${signed}` : typeof index === 'number' ? `${type} ${index}` : `at ${at}`
    if (isBlock && own(detail, 'signature')) signed++
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
  const isDetails = field === detailsField || field === blocksField
  if (isDetails && (seal === undefined || seal.wire === 'chat')) return undefined
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
  Object.assign(written, encodeDetails(parts))
}

/** The fields of the message that hold details. */
export function encodeDetails(parts: readonly ReasoningPart[]): { [F in DetailsField]?: unknown[] } {
  const fields: { [F in DetailsField]?: unknown[] } = {}
  for (const { seal } of parts) {
    if (seal?.wire !== 'chat') continue
    const list = detailsOf(seal.value)
    const field = fieldOf(list)
    fields[field] = [...(fields[field] ?? []), ...list]
  }
  return fields
}

function reportUnwritten(part: ReasoningPart, report: Report): void {
  if (part.seal !== undefined && part.seal.wire !== 'chat') {
    const message = 'Signed or encrypted reasoning means something only to its origin; it was left out.'
    report('reasoning_sealed', part.seal.path ?? part.path, message)
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
