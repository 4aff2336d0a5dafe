/**
 * What passed in an exchange, in the order in which it did: heads, bytes and texts with their times. Bytes and texts are copied
 * into pages as they pass; nothing else is worked out before the exchange ends or somebody reads.
 */

import type { ViewHead, ViewName } from '../observer.ts'
import { type ByteTape, bytesOf, pageBytes } from './byte-tape.ts'
import { clipHead } from './view-head.ts'

/** One request or answer. A view has several when there is more than one request to the upstream. */
export interface RecordedPart {
  readonly head: ViewHead | undefined
  /** How many bytes passed, stored or not. */
  readonly size: number
  /** The stored beginning. */
  readonly bytes: Buffer
  /** When it began, and when its pieces came: pairs of a length in bytes and a time, see `eventTimes`. */
  readonly at: number
  readonly pieces: readonly number[]
  /** When the last came of what is not kept. */
  readonly endedAt?: number | undefined
}

export interface JournalSettings {
  /** How many bytes one view may keep. */
  readonly viewLimit: number
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

/** Of an item there are four numbers: when it came, its view, where it begins on the tape, and how many bytes it has. */
const numbersOfMark = 4
/** Added to the view of what was not kept: when the last of it came. */
const isRest = 8
/** Added to the view of a head, whose place is that in the list of heads. */
const isHead = 4
/** What a head takes as long as the exchange runs, about: servers and clients bound them. */
const headCost = 1024
/** Memory for more marks is reserved for so many at a time; that for the first ones belongs to the exchange. */
const marksTogether = 128
const bytesTogether = marksTogether * numbersOfMark * Float64Array.BYTES_PER_ELEMENT

/** Where the counts of the first view stand: how many bytes have come, how many parts began that are not kept. */
const came = 0
const omitted = 4
/** Where a bit stands for each view that has anything. */
const seen = 8

interface Counted {
  /** Counts of each view: see `came`, `omitted` and `seen`. */
  readonly counts: readonly number[]
}

/** What there is of an exchange, while it runs and when it has ended. */
export interface RecordedViews extends Counted {
  readonly tape: ByteTape
  /** The numbers of all items, one item behind the other. */
  readonly marks: ArrayLike<number>
  readonly heads: readonly ViewHead[]
}

export class ViewJournal implements RecordedViews {
  readonly marks: number[] = []
  readonly heads: ViewHead[] = []
  readonly counts: number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  /** What was reserved for what is not on the tape. */
  reserved = 0
  readonly tape: ByteTape
  readonly #settings: JournalSettings
  readonly #reserve: (bytes: number) => boolean
  /** How many bytes of each view are kept. */
  readonly #used = [0, 0, 0, 0]
  /** A bit for each view of which nothing more is kept. */
  #full = 0
  /** Where the marks of what is not kept stand, by view. */
  readonly #rests = [-1, -1, -1, -1]
  /** Bytes that pass unchanged are the same on both sides, and are kept once. */
  #request: Uint8Array | undefined
  #requestAt = 0
  #answer: Uint8Array | undefined
  #answerAt = 0

  /** `reserve` asks for memory, and returns `false` when there is none. */
  constructor(tape: ByteTape, settings: JournalSettings, reserve: (bytes: number) => boolean) {
    this.tape = tape
    this.#settings = settings
    this.#reserve = reserve
  }

  /** Something is missing. */
  get isCut(): boolean {
    return this.#full !== 0
  }

  /** Begins a new part. */
  head(name: ViewName, head: ViewHead): void {
    const view = indexOf[name]
    if (this.#isFull(view) || !this.#fits(view, head.line.length, 0) || !this.#reserve(headCost)) {
      this.#full |= 1 << view
      this.#add(omitted + view, 1)
      return
    }
    this.reserved += headCost
    this.#mark(view + isHead, this.heads.length, 0)
    this.heads.push(head)
  }

  /** `same`: the latest bytes of the upstream's answer, if the text has them. */
  chunk(name: ViewName, chunk: string | Uint8Array, same?: Uint8Array): void {
    const view = indexOf[name]
    if (same !== undefined && same === this.#answer) this.#again(view, this.#answerAt, same.length)
    else if (typeof chunk === 'string') this.#bytes(view, bytesOf(chunk))
    else if (view === 1 && chunk === this.#request) this.#again(view, this.#requestAt, chunk.length)
    else if (view === 3 && chunk === this.#answer) this.#again(view, this.#answerAt, chunk.length)
    else this.#bytes(view, chunk)
  }

  /** Nothing of it is kept. */
  clear(): void {
    this.marks.length = 0
    this.heads.length = 0
    this.#request = undefined
    this.#answer = undefined
  }

  #add(at: number, count: number): void {
    this.counts[at] = (this.counts[at] ?? 0) + count
  }

  #usedBy(view: number): number {
    return this.#used[view] ?? 0
  }

  #isFull(view: number): boolean {
    return (this.#full & (1 << view)) !== 0
  }

  /** Whether there is room for an item: `cost` is what it adds to the view, `size` to the tape. */
  #fits(view: number, cost: number, size: number): boolean {
    const used = this.#usedBy(view) + cost
    if (used > this.#settings.viewLimit) return false
    const { length } = this.marks
    const marks = length > 0 && length % (marksTogether * numbersOfMark) === 0 ? bytesTogether : 0
    const needed = marks + this.tape.pagesFor(size) * pageBytes
    if (needed > 0 && !this.#reserve(needed)) return false
    this.reserved += marks
    this.#used[view] = used
    return true
  }

  /** Of parts that are not kept, nothing is counted but that there were some. */
  #count(view: number, size: number): void {
    if (this.counts[omitted + view] === 0) this.#add(came + view, size)
  }

  /** One mark for all of it. A view of which nothing else is kept is none. */
  #noteRest(view: number): void {
    const at = this.#rests[view] ?? -1
    const now = this.#settings.now()
    if (at !== -1) this.marks[at] = now
    else this.#rests[view] = this.marks.push(now, view + isRest, 0, 0) - numbersOfMark
  }

  #mark(kind: number, start: number, size: number): void {
    this.marks.push(this.#settings.now(), kind, start, size)
    this.counts[seen] = (this.counts[seen] ?? 0) | (1 << (kind % isHead))
  }

  #bytes(view: number, chunk: Uint8Array): void {
    const { length: size } = chunk
    this.#count(view, size)
    if (this.#isFull(view)) {
      this.#noteRest(view)
      return
    }
    if (!this.#fits(view, size, size)) {
      this.#fill(view, chunk)
      return
    }
    const { length: start } = this.tape
    this.#mark(view, start, size)
    this.tape.write(chunk)
    if (view === 0) [this.#request, this.#requestAt] = [chunk, start]
    else if (view === 2) [this.#answer, this.#answerAt] = [chunk, start]
  }

  /** What the other side had too. */
  #again(view: number, start: number, size: number): void {
    this.#count(view, size)
    if (this.#isFull(view)) {
      this.#noteRest(view)
      return
    }
    if (this.#fits(view, size, 0)) {
      this.#mark(view, start, size)
      return
    }
    this.#full |= 1 << view
    this.#noteRest(view)
  }

  /** The last that is kept of a view: as much as it has room for, or about as much as there is memory for. */
  #fill(view: number, bytes: Uint8Array): void {
    this.#full |= 1 << view
    this.#noteRest(view)
    let room = Math.min(bytes.length, this.#settings.viewLimit - this.#usedBy(view))
    while (room > 0 && !this.#fits(view, room, room)) room = Math.floor(room / 2)
    if (room <= 0) return
    this.#mark(view, this.tape.length, room)
    this.tape.write(bytes.subarray(0, room))
  }
}

export function hasView({ counts }: Counted, name: ViewName): boolean {
  return ((counts[seen] ?? 0) & (1 << indexOf[name])) !== 0 || (counts[omitted + indexOf[name]] ?? 0) > 0
}

/** How many parts began after the limit was reached. */
export function omittedOf({ counts }: Counted, name: ViewName): number {
  return counts[omitted + indexOf[name]] ?? 0
}

/** How many bytes have come, in all parts. */
export function sizeOf({ counts }: Counted, name: ViewName): number {
  return counts[came + indexOf[name]] ?? 0
}

export function partsOf(views: RecordedViews, name: ViewName): RecordedPart[] {
  const parts: Part[] = []
  for (const { head, at, start, size } of itemsOf(views, indexOf[name])) {
    if (head !== undefined || parts.length === 0) parts.push({ head, at, spans: [], size: 0, pieces: [] })
    const part = parts.at(-1)
    if (head !== undefined || part === undefined) continue
    part.spans.push({ start, size })
    part.size += size
    part.pieces.push(size, at - part.at)
  }
  const endedAt = restOf(views, indexOf[name])
  const skipped = sizeOf(views, name) - parts.reduce((sum, { size }) => sum + size, 0)
  return parts.map(({ head, at, spans, size, pieces }, i) => ({
    head: head && clipHead(head),
    size: i === parts.length - 1 ? size + skipped : size,
    bytes: readSpans(views.tape, spans, size),
    at,
    pieces,
    ...(i === parts.length - 1 && { endedAt }),
  }))
}

/** The beginning of the first part, of so many bytes where there are so many. */
export function beginningOf(views: RecordedViews, name: ViewName, bytes: number): string {
  const spans: Span[] = []
  let length = 0
  for (const { head, start, size } of itemsOf(views, indexOf[name])) {
    if (length >= bytes || (head !== undefined && length > 0)) break
    if (head !== undefined) continue
    const taken = Math.min(size, bytes - length)
    spans.push({ start, size: taken })
    length += taken
  }
  return readSpans(views.tape, spans, length).toString()
}

function restOf({ marks }: RecordedViews, view: number): number | undefined {
  for (let i = 0; i < marks.length; i += numbersOfMark) if (marks[i + 1] === view + isRest) return marks[i]
  return undefined
}

function* itemsOf({ marks, heads }: RecordedViews, view: number): Generator<Item> {
  for (let i = 0; i < marks.length; i += numbersOfMark) {
    const at = marks[i] ?? 0
    const kind = marks[i + 1]
    const start = marks[i + 2] ?? 0
    if (kind === view) yield { head: undefined, at, start, size: marks[i + 3] ?? 0 }
    else if (kind === view + isHead) yield { head: heads[start], at, start: 0, size: 0 }
  }
}

function readSpans(tape: ByteTape, spans: readonly Span[], length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let to = 0
  for (const { start, size } of spans) {
    tape.read(start, size, bytes, to)
    to += size
  }
  return bytes
}

/** A piece of the tape. */
interface Span {
  readonly start: number
  readonly size: number
}

interface Item extends Span {
  readonly head: ViewHead | undefined
  readonly at: number
}

interface Part {
  readonly head: ViewHead | undefined
  readonly at: number
  readonly spans: Span[]
  size: number
  readonly pieces: number[]
}
