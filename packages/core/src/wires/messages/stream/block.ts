/** One content block while it is being sent: what it started as, and what the deltas have added since. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own, setOwn } from '../../../json/object.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Path } from '../../../model/diagnostic.ts'
import { jsonText, parseObject } from '../../kit/json-text.ts'
import { decodeBlock } from '../parts.ts'

export interface OpenBlock {
  /** As it was started. */
  block: JsonObject
  readonly type: unknown
  /** The text, thinking or arguments: pieces that are joined when somebody looks. */
  pieces: string[]
  length: number
  readonly citations: unknown[]
  signature?: string
  /** What deltas of unknown kinds added, by field. */
  readonly more: Map<string, unknown[]>
  /** The part's index, once it has been started. */
  part?: number
}

export function openBlock(block: JsonObject): OpenBlock {
  const type = own(block, 'type')
  const citations = own(block, 'citations')
  const opened: OpenBlock = {
    block,
    type,
    pieces: [],
    length: 0,
    citations: Array.isArray(citations) ? [...citations] : [],
    more: new Map(),
  }
  const said = type === 'text' || type === 'thinking' ? own(block, type) : undefined
  if (typeof said === 'string' && said !== '') addPiece(opened, said)
  return opened
}

export function addPiece(open: OpenBlock, piece: string): void {
  open.pieces.push(piece)
  open.length += piece.length
}

/** What the deltas have said so far. */
export function saidOf(open: OpenBlock): string {
  if (open.pieces.length > 1) open.pieces = [open.pieces.join('')]
  return open.pieces[0] ?? ''
}

/** Keeps what a delta of an unknown kind holds. */
export function addMore({ more }: OpenBlock, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    const values = more.get(key)
    if (values === undefined) more.set(key, [value])
    else values.push(value)
  }
}

export function nameOf({ block }: OpenBlock): string {
  return textOf(block, 'name')
}

export function idOf({ block }: OpenBlock): string {
  return textOf(block, 'id')
}

function textOf(block: JsonObject, key: string): string {
  const value = own(block, key)
  return typeof value === 'string' ? value : ''
}

/** Whether a second start means the block that is already open, which some servers announce twice. */
export function isRepeatedStart(open: OpenBlock, block: JsonObject): boolean {
  if (open.type !== own(block, 'type')) return false
  const [id, name] = [textOf(block, 'id'), textOf(block, 'name')]
  if (name !== '' && nameOf(open) !== '' && name !== nameOf(open)) return false
  if (id !== '' && idOf(open) !== '') return id === idOf(open)
  return open.type === 'tool_use' ? open.length === 0 : true
}

/** The arguments all over again, after they had been sent in pieces. */
export function isRepeatedInput(open: OpenBlock, piece: string): boolean {
  if (open.type !== 'tool_use' || open.length < 2 || piece.length !== open.length) return false
  const sent = saidOf(open)
  return sent === piece && parseObject(sent) !== undefined
}

/**
 * The arguments as they were written. Servers start a call with an empty object to hold the place; it counts, as
 * does a full one, only when nothing follows.
 */
export function inputOf(open: OpenBlock): string {
  const sent = saidOf(open)
  if (sent.trim() !== '') return sent
  const input = own(open.block, 'input')
  if (typeof input === 'string' && input.trim() !== '') return input
  return isObject(input) ? (jsonText(input) ?? '') : '{}'
}

/** The arguments came as an object that is nested too deep to be written. */
export function hasUnwritableInput(open: OpenBlock): boolean {
  return inputOf(open) === ''
}

export function hasWholeInput(open: OpenBlock): boolean {
  return parseObject(saidOf(open)) !== undefined
}

/** The part before anything is said. */
export function startOf({ block, type }: OpenBlock, path: Path): Part {
  switch (type) {
    case 'text':
      return decodeBlock({ ...omit(block, ['citations']), text: '' }, path)
    case 'thinking': {
      const part = decodeBlock({ ...block, thinking: '', signature: '' }, path)
      if (part.kind !== 'reasoning') return part
      const { seal: _, ...unsealed } = part
      return { ...unsealed, text: [] }
    }
    case 'tool_use': {
      const part = decodeBlock({ ...block, input: {} }, path)
      return part.kind === 'call' ? { ...part, input: '' } : part
    }
    default:
      return decodeBlock(block, path)
  }
}

/** The part that the whole block would have been read as. */
export function wholeOf(open: OpenBlock, path: Path): Part {
  const { type, citations, signature, more } = open
  const block: Record<string, unknown> = { ...open.block }
  for (const [key, values] of more) setOwn(block, key, joined(own(open.block, key), values))
  if (type === 'tool_use') {
    const part = decodeBlock({ ...block, input: {} }, path)
    if (part.kind === 'call') return { ...part, input: inputOf(open) }
  }
  const said = saidOf(open)
  if (type === 'text' || type === 'thinking') setOwn(block, type, said)
  else if (said !== '') setOwn(block, 'input', parseObject(said) ?? said)
  if (citations.length > 0) setOwn(block, 'citations', citations)
  if (signature !== undefined) setOwn(block, 'signature', signature)
  return decodeBlock(block, path)
}

/** Every known kind of delta adds to a text or replaces a value; an unknown one is taken to do the same. */
function joined(before: unknown, values: readonly unknown[]): unknown {
  const texts = values.filter(value => typeof value === 'string')
  if (texts.length < values.length) return values.at(-1)
  return (typeof before === 'string' ? before : '') + texts.join('')
}
