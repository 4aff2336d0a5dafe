/**
 * What passed in an exchange, in the order in which it did: heads, bytes and texts with their times. Nothing is copied that
 * is there anyway, and nothing is worked out before somebody reads.
 */
import { clipText } from './mask-secrets.ts'
import type { ViewHead, ViewName } from './observer.ts'

/** One request or answer. A view has several when there is more than one request to the upstream. */
export interface RecordedPart {
  readonly head: ViewHead | undefined
  /** How many bytes passed, stored or not. */
  readonly size: number
  /** The stored beginning. */
  readonly bytes: Buffer
  /** When it began, and when its pieces came: pairs of a length and a time, see `eventTimes`. */
  readonly at: number
  readonly pieces: readonly number[]
}

/** Where it is kept. */
export interface ViewMemory {
  /** How much one view may keep: bytes, or characters of text. */
  readonly viewLimit: number
  /** Requests memory; `false` when there is none. */
  reserve(bytes: number): boolean
  /** The gateway's clock, in milliseconds. */
  now(): number
}

export const viewNames: readonly ViewName[] = [
  'client-request',
  'upstream-request',
  'upstream-answer',
  'client-answer',
]
const indexOf: { readonly [name in ViewName]: number } = {
  'client-request': 0,
  'upstream-request': 1,
  'upstream-answer': 2,
  'client-answer': 3,
}

/** What an item costs beside what it holds. */
const itemCost = 64
/** What a head costs beside its characters. */
const headCost = 200
/** A head with more characters is clipped at once, any other one when it is read. */
const longHead = 8000
const maxTextLength = 2000
const maxHeaders = 100
/** So much memory may stand around a piece of it that is kept. */
const spareBytes = 8192

const none: number[] = []

export class ViewJournal {
  readonly #memory: ViewMemory
  readonly #items: (ViewHead | string | Uint8Array)[] = []
  /** For each item, its view and when it came. */
  readonly #marks: number[] = []
  /** For each view, how much is kept. */
  readonly #used = [0, 0, 0, 0]
  /** A bit for each view of which nothing more is kept; and then, how many bytes and parts are not. */
  #full = 0
  #skipped: number[] = none
  #omitted: number[] = none
  /** Bytes that pass unchanged are the same on both sides, and count once. */
  #request: string | Uint8Array | undefined
  #answer: string | Uint8Array | undefined
  /** Set once somebody reads. */
  #tally: Tally | undefined

  constructor(memory: ViewMemory) {
    this.#memory = memory
  }

  /** Begins a new part. */
  head(name: ViewName, given: ViewHead): void {
    const view = indexOf[name]
    const length = lengthOf(given)
    const head = length > longHead ? clipHead(given) : given
    const cost = headCost + (head === given ? length : lengthOf(head))
    if (this.#isFull(view) || !this.#fits(view, cost, 2 * cost)) {
      this.#close(view)
      this.#omitted[view] = (this.#omitted[view] ?? 0) + 1
    } else this.#add(view, head)
  }

  /** `isLent`: the memory of the bytes is used again. */
  chunk(name: ViewName, chunk: string | Uint8Array, isLent: boolean): void {
    const view = indexOf[name]
    if (this.#isFull(view)) this.#skip(view, chunk)
    else if (this.#fits(view, chunk.length, this.#bytesFor(view, chunk)))
      this.#add(view, typeof chunk === 'string' ? chunk : lasting(chunk, isLent))
    else this.#fill(view, chunk)
    if (view === 0) this.#request = chunk
    if (view === 2) this.#answer = chunk
  }

  /** Which characters of a text take two bytes is not known, so all are taken to. */
  #bytesFor(view: number, chunk: string | Uint8Array): number {
    if (typeof chunk === 'string') return 2 * chunk.length
    const isSame = (view === 1 && chunk === this.#request) || (view === 3 && chunk === this.#answer)
    return isSame ? 0 : chunk.length
  }

  /** Nothing more will come. */
  close(): void {
    this.#request = undefined
    this.#answer = undefined
  }

  has(name: ViewName): boolean {
    return (this.#counted().seen & (1 << indexOf[name])) !== 0 || this.omitted(name) > 0
  }

  /** How many parts began after the limit was reached. */
  omitted(name: ViewName): number {
    return this.#omitted[indexOf[name]] ?? 0
  }

  /** Something is missing. */
  get isCut(): boolean {
    return this.#full !== 0
  }

  parts(name: ViewName): RecordedPart[] {
    const view = indexOf[name]
    const parts: Part[] = []
    for (const [i, item] of this.#items.entries()) {
      if (this.#marks[2 * i] !== view) continue
      const at = this.#marks[2 * i + 1] ?? 0
      const isChunk = typeof item === 'string' || item instanceof Uint8Array
      if (!isChunk || parts.length === 0)
        parts.push({ head: isChunk ? undefined : item, at, chunks: [], pieces: [] })
      const part = parts.at(-1)
      if (!isChunk || part === undefined) continue
      part.chunks.push(item)
      part.pieces.push(item.length, at - part.at)
    }
    return parts.map(({ head, at, chunks, pieces }, i) => {
      const bytes = joined(chunks)
      const skipped = i === parts.length - 1 ? (this.#skipped[view] ?? 0) : 0
      return { head: head && clipHead(head), size: bytes.length + skipped, bytes, at, pieces }
    })
  }

  /** The beginning of the first part: at least so many bytes, where there are so many. */
  beginning(name: ViewName, bytes: number): string {
    const view = indexOf[name]
    const chunks: (string | Uint8Array)[] = []
    let length = 0
    for (let i = 0; i < this.#items.length && length < bytes; i++) {
      const item = this.#items[i]
      if (this.#marks[2 * i] !== view || item === undefined) continue
      if (typeof item === 'string' || item instanceof Uint8Array) {
        chunks.push(item.length > bytes ? item.slice(0, bytes) : item)
        length += item.length
      } else if (length > 0) break
    }
    return joined(chunks).toString()
  }

  /** How many bytes have come, in all parts. */
  size(name: ViewName): number {
    const view = indexOf[name]
    return (this.#skipped[view] ?? 0) + (this.#counted().bytes[view] ?? 0)
  }

  /** Whoever follows an exchange asks many times, so each item is counted once. */
  #counted(): Tally {
    this.#tally ??= { items: 0, seen: 0, bytes: [0, 0, 0, 0] }
    const tally = this.#tally
    for (; tally.items < this.#items.length; tally.items++) {
      const item = this.#items[tally.items]
      const view = this.#marks[2 * tally.items] ?? 0
      tally.seen |= 1 << view
      if (typeof item === 'string' || item instanceof Uint8Array)
        tally.bytes[view] = (tally.bytes[view] ?? 0) + Buffer.byteLength(item)
    }
    return tally
  }

  #close(view: number): void {
    if (this.#full === 0) {
      this.#skipped = [0, 0, 0, 0]
      this.#omitted = [0, 0, 0, 0]
    }
    this.#full |= 1 << view
  }

  #isFull(view: number): boolean {
    return (this.#full & (1 << view)) !== 0
  }

  #fits(view: number, length: number, bytes: number): boolean {
    const used = (this.#used[view] ?? 0) + length
    if (used > this.#memory.viewLimit || !this.#memory.reserve(itemCost + bytes)) return false
    this.#used[view] = used
    return true
  }

  #add(view: number, item: ViewHead | string | Uint8Array): void {
    this.#items.push(item)
    this.#marks.push(view, this.#memory.now())
  }

  #skip(view: number, chunk: string | Uint8Array): void {
    if (this.#omitted[view] === 0) this.#skipped[view] = (this.#skipped[view] ?? 0) + Buffer.byteLength(chunk)
  }

  /** The last that is kept of a view: as much as it has room for, if there is memory. */
  #fill(view: number, chunk: string | Uint8Array): void {
    this.#close(view)
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    const room = this.#memory.viewLimit - (this.#used[view] ?? 0)
    let end = Math.max(0, Math.min(room, bytes.length))
    // A text is cut between characters.
    if (typeof chunk === 'string')
      while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
    if (end > 0 && this.#fits(view, end, end)) this.#add(view, ownCopy(bytes.subarray(0, end)))
    else end = 0
    this.#skip(view, bytes.subarray(end))
  }
}

/** Of so many items: a bit for each view that has any, and the bytes of each. */
interface Tally {
  items: number
  seen: number
  readonly bytes: number[]
}

interface Part {
  readonly head: ViewHead | undefined
  readonly at: number
  readonly chunks: (string | Uint8Array)[]
  readonly pieces: number[]
}

/** Bytes that stay as they are, and hold little more in memory than themselves. */
function lasting(bytes: Uint8Array, isLent: boolean): Uint8Array {
  return isLent || bytes.buffer.byteLength > 2 * bytes.length + spareBytes ? ownCopy(bytes) : bytes
}

function ownCopy(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

/** A character may be cut in two between texts, but not between texts and bytes. */
function joined(chunks: readonly (string | Uint8Array)[]): Buffer {
  const buffers: Uint8Array[] = []
  let text = ''
  for (const chunk of chunks) {
    if (typeof chunk === 'string') text += chunk
    else {
      if (text !== '') buffers.push(Buffer.from(text))
      text = ''
      buffers.push(chunk)
    }
  }
  if (text !== '') buffers.push(Buffer.from(text))
  return Buffer.concat(buffers)
}

function clipHead({ line, headers }: ViewHead): ViewHead {
  const clip = (text = ''): string => clipText(text, maxTextLength)
  const clipped = Object.keys(headers)
    .slice(0, maxHeaders)
    .map(name => [clip(name), clip(headers[name])])
  return { line: clip(line), headers: Object.fromEntries(clipped) }
}

function lengthOf(head: ViewHead): number {
  if (head.length !== undefined) return head.length
  let length = head.line.length
  for (const name in head.headers) length += name.length + (head.headers[name] ?? '').length
  return length
}
