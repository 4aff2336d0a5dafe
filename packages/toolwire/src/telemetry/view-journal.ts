/**
 * What passed in an exchange, in the order in which it did: heads, bytes and texts with their times. Nothing is worked out
 * before somebody reads.
 */

import { ByteTape, type PagePool, pageBytes } from './byte-tape.ts'
import type { ViewHead, ViewName } from './observer.ts'
import { clipHead, readHead, shortHeadText } from './view-head.ts'

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
}

/** Where it is kept. */
export interface ViewMemory {
  readonly pool: PagePool
  /** How many bytes one view may keep. */
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

/** So many items, and so many bytes of them, wait to be written together, which takes a fraction of the time. */
const mostWaiting = 16
const mostBytesWaiting = 32 * 1024
/** Before each item on the tape: its view or kind, when it came, where it begins, and how many bytes it has. */
const mark = new Float64Array(4)
const markBytes = new Uint8Array(mark.buffer)

/** Added to the view of a head. */
const isHead = 4
/** What stands for the facts. */
const record = 8

/** Where the counts of the first view stand: how much is kept, how many bytes have come, how many parts began that are not kept. */
const used = 0
const came = 4
const omitted = 8

/** In place of lists without anything in them. */
const nothing: never[] = []
const noSpan: Span = { start: 0, size: 0 }

export class ViewJournal {
  readonly #memory: ViewMemory
  readonly #tape: ByteTape
  /** What is not on the tape yet; for each item, its view and when it came. */
  #waiting: (ViewHead | string | Uint8Array)[] = nothing
  #waitingMarks: number[] = nothing
  #bytesWaiting = 0
  /** Counts of each view: see `used`, `came` and `omitted`. */
  readonly #counts = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  /** A bit for each view that has anything, and for each of which nothing more is kept. */
  #seen = 0
  #full = 0
  /** Bytes that pass unchanged are the same on both sides, and are kept once. */
  #request: Uint8Array | undefined
  #requestAt = 0
  #answer: Uint8Array | undefined
  #answerAt = 0
  #record = noSpan

  constructor(memory: ViewMemory) {
    this.#memory = memory
    this.#tape = new ByteTape(memory.pool)
  }

  /** Begins a new part. */
  head(name: ViewName, head: ViewHead): void {
    this.#wait(indexOf[name], head)
  }

  /** `isLent`: the memory of the bytes is used again. `same`: the latest bytes of the upstream's answer, if the text has them. */
  chunk(name: ViewName, chunk: string | Uint8Array, isLent = false, same?: Uint8Array): void {
    const view = indexOf[name]
    if (same !== undefined) {
      this.#write()
      if (same === this.#answer) {
        this.#again(view, this.#answerAt, same, this.#memory.now())
        return
      }
    }
    this.#bytesWaiting += chunk.length
    if (!isLent && this.#bytesWaiting <= mostBytesWaiting) this.#wait(view, chunk)
    else {
      this.#write()
      this.#chunk(view, chunk, this.#memory.now())
    }
  }

  /** Nothing more will come. */
  close(): void {
    this.#write()
    this.#waiting = nothing
    this.#waitingMarks = nothing
    this.#request = undefined
    this.#answer = undefined
    this.#tape.close()
  }

  /** Writes what is to be known of the exchange when nothing else is; `false` when there is no memory. */
  writeRecord(text: string): boolean {
    this.#write()
    const size = Buffer.byteLength(text)
    if (!this.#memory.reserve(this.#tape.pagesFor(markBytes.length + size) * pageBytes)) return false
    this.#mark(record, 0, size)
    this.#record = { start: this.#tape.length, size }
    this.#tape.writeText(text, size)
    return true
  }

  /** Empty before it is written. It is read for each list, of all in the list. */
  get record(): string {
    return this.#read([this.#record], this.#record.size).toString()
  }

  /** Gives the memory back, with all that was kept. */
  clear(): void {
    this.#waiting = nothing
    this.close()
    this.#tape.clear()
    this.#record = noSpan
    this.#seen = 0
    this.#full = 0b1111
  }

  has(name: ViewName): boolean {
    this.#write()
    return (this.#seen & (1 << indexOf[name])) !== 0 || this.omitted(name) > 0
  }

  /** How many parts began after the limit was reached. */
  omitted(name: ViewName): number {
    this.#write()
    return this.#countOf(omitted + indexOf[name])
  }

  /** Something is missing. */
  get isCut(): boolean {
    this.#write()
    return this.#full !== 0
  }

  /** How many bytes have come, in all parts. */
  size(name: ViewName): number {
    this.#write()
    return this.#countOf(came + indexOf[name])
  }

  parts(name: ViewName): RecordedPart[] {
    const view = indexOf[name]
    const parts: Part[] = []
    for (const { head, at, start, size } of this.#items(view)) {
      if (head !== undefined || parts.length === 0) parts.push({ head, at, spans: [], size: 0, pieces: [] })
      const part = parts.at(-1)
      if (head !== undefined || part === undefined) continue
      part.spans.push({ start, size })
      part.size += size
      part.pieces.push(size, at - part.at)
    }
    const skipped = this.#countOf(came + view) - parts.reduce((sum, { size }) => sum + size, 0)
    return parts.map(({ head, at, spans, size, pieces }, i) => ({
      head: head && clipHead(head),
      size: i === parts.length - 1 ? size + skipped : size,
      bytes: this.#read(spans, size),
      at,
      pieces,
    }))
  }

  /** The beginning of the first part, of so many bytes where there are so many. */
  beginning(name: ViewName, bytes: number): string {
    const spans: Span[] = []
    let length = 0
    for (const { head, start, size } of this.#items(indexOf[name])) {
      if (length >= bytes || (head !== undefined && length > 0)) break
      if (head !== undefined) continue
      const taken = Math.min(size, bytes - length)
      spans.push({ start, size: taken })
      length += taken
    }
    return this.#read(spans, length).toString()
  }

  #wait(view: number, item: ViewHead | string | Uint8Array): void {
    if (this.#waiting === nothing) {
      this.#waiting = []
      this.#waitingMarks = []
    }
    this.#waiting.push(item)
    this.#waitingMarks.push(view, this.#memory.now())
    if (this.#waiting.length >= mostWaiting) this.#write()
  }

  /** Writes what waits. */
  #write(): void {
    const waiting = this.#waiting
    const marks = this.#waitingMarks
    this.#bytesWaiting = 0
    if (waiting.length === 0) return
    for (let i = 0; i < waiting.length; i++) {
      const item = waiting[i] ?? ''
      const view = marks[2 * i] ?? 0
      const at = marks[2 * i + 1] ?? 0
      if (typeof item === 'string' || item instanceof Uint8Array) this.#chunk(view, item, at)
      else this.#head(view, item, at)
    }
    waiting.length = 0
    marks.length = 0
  }

  #head(view: number, given: ViewHead, at: number): void {
    const text = shortHeadText(given)
    const size = Buffer.byteLength(text)
    if (this.#isFull(view) || !this.#fits(view, size, size)) {
      this.#full |= 1 << view
      this.#add(omitted + view, 1)
      return
    }
    this.#seen |= 1 << view
    this.#mark(view + isHead, at, size)
    this.#tape.writeText(text, size)
  }

  #chunk(view: number, chunk: string | Uint8Array, at: number): void {
    if (typeof chunk === 'string') this.#text(view, chunk, at)
    else if (view === 1 && chunk === this.#request) this.#again(view, this.#requestAt, chunk, at)
    else if (view === 3 && chunk === this.#answer) this.#again(view, this.#answerAt, chunk, at)
    else this.#bytes(view, chunk, at)
  }

  *#marks(): Generator<Mark> {
    this.#write()
    for (let place = 0; place < this.#tape.length; ) {
      this.#tape.read(place, markBytes.length, markBytes, 0)
      const [kind = 0, at = 0, start = 0, size = 0] = mark
      place += markBytes.length
      if (start === place) place += size
      yield { kind, at, start, size }
    }
  }

  *#items(view: number): Generator<Item> {
    for (const { kind, ...item } of this.#marks()) {
      if (kind === view) yield { head: undefined, ...item }
      else if (kind === view + isHead) {
        const head = readHead(this.#read([item], item.size).toString())
        yield { head, at: item.at, start: 0, size: 0 }
      }
    }
  }

  #read(spans: readonly Span[], length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    let to = 0
    for (const { start, size } of spans) {
      this.#tape.read(start, size, bytes, to)
      to += size
    }
    return bytes
  }

  #countOf(at: number): number {
    return this.#counts[at] ?? 0
  }

  #add(at: number, count: number): void {
    this.#counts[at] = this.#countOf(at) + count
  }

  #isFull(view: number): boolean {
    return (this.#full & (1 << view)) !== 0
  }

  /** Whether there is room for an item: `cost` is what it adds to the view, `size` to the tape. */
  #fits(view: number, cost: number, size: number): boolean {
    const isTooMuch = this.#countOf(used + view) + cost > this.#memory.viewLimit
    const pages = this.#tape.pagesFor(markBytes.length + size)
    if (isTooMuch || (pages > 0 && !this.#memory.reserve(pages * pageBytes))) return false
    this.#add(used + view, cost)
    return true
  }

  /** Of parts that are not kept, nothing is counted but that there were some. */
  #count(view: number, size: number): void {
    if (this.#countOf(omitted + view) === 0) this.#add(came + view, size)
  }

  /** `start`: where it stands, if not behind its mark. */
  #mark(kind: number, at: number, size: number, start = this.#tape.length + markBytes.length): void {
    mark[0] = kind
    mark[1] = at
    mark[2] = start
    mark[3] = size
    this.#tape.write(markBytes)
  }

  #bytes(view: number, chunk: Uint8Array, at: number): void {
    const { length: size } = chunk
    this.#count(view, size)
    if (this.#isFull(view)) return
    if (!this.#fits(view, size, size)) {
      this.#fill(view, chunk, at)
      return
    }
    this.#seen |= 1 << view
    this.#mark(view, at, size)
    const { length: start } = this.#tape
    this.#tape.write(chunk)
    if (view === 0) [this.#request, this.#requestAt] = [chunk, start]
    else if (view === 2) [this.#answer, this.#answerAt] = [chunk, start]
  }

  #text(view: number, text: string, at: number): void {
    const size = Buffer.byteLength(text)
    this.#count(view, size)
    if (this.#isFull(view)) return
    if (!this.#fits(view, size, size)) {
      this.#fill(view, Buffer.from(text), at)
      return
    }
    this.#seen |= 1 << view
    this.#mark(view, at, size)
    this.#tape.writeText(text, size)
  }

  /** What the other side had too. */
  #again(view: number, start: number, { length: size }: Uint8Array, at: number): void {
    this.#count(view, size)
    if (this.#isFull(view)) return
    if (this.#fits(view, size, 0)) {
      this.#seen |= 1 << view
      this.#mark(view, at, size, start)
    } else this.#full |= 1 << view
  }

  /** The last that is kept of a view: as much as it has room for, if there is memory. */
  #fill(view: number, bytes: Uint8Array, at: number): void {
    const room = Math.min(bytes.length, this.#memory.viewLimit - this.#countOf(used + view))
    if (room > 0 && this.#fits(view, room, room)) {
      this.#seen |= 1 << view
      this.#mark(view, at, room)
      this.#tape.write(bytes.subarray(0, room))
    }
    this.#full |= 1 << view
  }
}

/** A piece of the tape. */
interface Span {
  readonly start: number
  readonly size: number
}

interface Mark extends Span {
  readonly kind: number
  readonly at: number
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
