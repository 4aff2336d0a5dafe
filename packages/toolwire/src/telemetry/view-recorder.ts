/**
 * Copies one view of an exchange into memory, up to a limit. A copy is needed because chunks are often small slices of
 * large buffers, and keeping the slice would keep the entire buffer alive.
 */
import { type BufferPool, bufferSize } from './buffer-pool.ts'
import { clipText } from './mask-secrets.ts'
import type { ViewHead } from './observer.ts'

/** One request or answer. A view has several when there is more than one request to the upstream. */
interface RecordedPart {
  readonly head: ViewHead | undefined
  /** How many bytes passed, stored or not. */
  readonly size: number
  /** The stored beginning. */
  readonly bytes: Buffer
  /** When it began, and when its pieces came: pairs of a length and a time, see `EventTimes`. */
  readonly at: number | undefined
  readonly pieces: readonly number[]
}

export interface RecorderOptions {
  /** The memory that this view may take, in bytes. */
  readonly limit: number
  /** Requests memory; `false` when there is none. */
  reserve(bytes: number): boolean
  readonly pool: BufferPool
  /** The gateway's clock, in milliseconds. */
  now?(): number
}

interface Part {
  readonly head: ViewHead | undefined
  buffer: Buffer
  /** The buffer belongs to another view. */
  isShared: boolean
  /** How much of the buffer is filled. */
  length: number
  size: number
  /** Nothing more is stored of this part, only counted. */
  isFull: boolean
  readonly at: number | undefined
  readonly pieces: number[]
}

const emptyBuffer = Buffer.alloc(0)
/** Pending text is encoded from this length on: many small strings cost less as one. */
const flushLength = 4096
const smallestGrowth = 1024
/** What a part costs beside its bytes. */
const partCost = 200
const maxTextLength = 2000
/** Numbers noted of the times of one part: two for each piece. */
const maxPieces = 20_000
const maxHeaders = 100

export class ViewRecorder {
  readonly #options: RecorderOptions
  #parts: Part[] = []
  #current: Part | undefined
  #pending = ''
  #used = 0
  #omitted = 0

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** How many parts began after the limit was reached. */
  get omitted(): number {
    return this.#omitted
  }

  /** Begins a new part. */
  head(head: ViewHead): void {
    this.flush()
    this.#current = this.#open(clipHead(head))
  }

  // Called for every chunk of every stream.
  chunk(chunk: string | Uint8Array): void {
    this.#current ??= this.#open(undefined)
    const { at, pieces } = this.#current
    if (at !== undefined && pieces.length < maxPieces) {
      pieces.push(chunk.length, (this.#options.now?.() ?? 0) - at)
    }
    if (typeof chunk === 'string') {
      this.#pending += chunk
      if (this.#pending.length >= flushLength) this.flush()
    } else {
      this.flush()
      this.#appendBytes(this.#current, chunk)
    }
  }

  /** Stores pending text, so that it is counted. */
  flush(): void {
    const text = this.#pending
    if (text === '' || this.#current === undefined) return
    this.#pending = ''
    this.#appendText(this.#current, text)
  }

  parts(): RecordedPart[] {
    this.flush()
    return this.#parts.map(({ head, size, buffer, length, at, pieces }) => ({
      head,
      size,
      bytes: buffer.subarray(0, length),
      at,
      pieces,
    }))
  }

  /** How much has come, in all parts; of text that is not stored yet, its characters. */
  get size(): number {
    let sum = this.#pending.length
    for (const { size } of this.#parts) sum += size
    return sum
  }

  /**
   * Uses the buffers of another view where both have the same bytes, and returns how much memory that releases. Neither
   * view may receive chunks afterwards.
   */
  shareBuffers(other: ViewRecorder): number {
    let released = 0
    for (const [index, part] of this.#parts.entries()) {
      const twin = other.#parts[index]
      if (twin === undefined || part.length === 0 || twin.length !== part.length) continue
      if (part.buffer.compare(twin.buffer, 0, part.length, 0, part.length) !== 0) continue
      released += part.buffer.length
      this.#options.pool.release(part.buffer)
      part.buffer = twin.buffer
      part.isShared = true
    }
    return released
  }

  /** Drops everything, so that the buffers can be reused. */
  free(): void {
    for (const { buffer, isShared } of this.#parts) if (!isShared) this.#options.pool.release(buffer)
    this.#parts = []
    this.#current = undefined
    this.#pending = ''
  }

  #open(head: ViewHead | undefined): Part {
    const isStored = this.#take(partCost + (head === undefined ? 0 : headCost(head)))
    const at = this.#options.now?.()
    const part: Part = {
      head,
      buffer: emptyBuffer,
      isShared: false,
      length: 0,
      size: 0,
      isFull: !isStored,
      at,
      pieces: [],
    }
    if (isStored) this.#parts.push(part)
    else this.#omitted++
    return part
  }

  #appendBytes(part: Part, bytes: Uint8Array): void {
    const size = bytes.byteLength
    part.size += size
    if (part.isFull) return
    const room = this.#makeRoom(part, size)
    part.isFull = room < size
    part.buffer.set(part.isFull ? bytes.subarray(0, room) : bytes, part.length)
    part.length += Math.min(room, size)
  }

  #appendText(part: Part, text: string): void {
    const size = Buffer.byteLength(text)
    part.size += size
    if (part.isFull) return
    this.#makeRoom(part, size)
    // Writes as many complete characters as fit.
    const written = part.buffer.write(text, part.length)
    part.isFull = written < size
    part.length += written
  }

  /** Grows the buffer if there is memory for it. Returns how many bytes fit now. */
  #makeRoom(part: Part, wanted: number): number {
    const capacity = part.buffer.length
    const room = capacity - part.length
    if (room >= wanted) return room
    // Doubling keeps the cost of copying proportional to the size. When memory is short, less will do.
    const { limit, pool } = this.#options
    const left = limit - this.#used
    let growth = Math.min(bufferSize(Math.max(part.length + wanted, 2 * capacity)) - capacity, left)
    if (!this.#take(growth)) {
      growth = Math.min(smallestGrowth, left)
      if (!this.#take(growth)) return room
    }
    const grown = pool.take(capacity + growth)
    part.buffer.copy(grown, 0, 0, part.length)
    pool.release(part.buffer)
    part.buffer = grown
    return room + growth
  }

  #take(bytes: number): boolean {
    const { limit } = this.#options
    if (bytes <= 0 || this.#used + bytes > limit || !this.#options.reserve(bytes)) return false
    this.#used += bytes
    return true
  }
}

/** Returns the head itself unless something in it is too long. */
function clipHead(head: ViewHead): ViewHead {
  const { line, headers } = head
  const names = Object.keys(headers)
  const isShort = (text = ''): boolean => text.length <= maxTextLength
  if (
    names.length <= maxHeaders &&
    isShort(line) &&
    names.every(name => isShort(name) && isShort(headers[name]))
  )
    return head
  const clip = (text = ''): string => clipText(text, maxTextLength)
  const clipped = names.slice(0, maxHeaders).map(name => [clip(name), clip(headers[name])])
  return { line: clip(line), headers: Object.fromEntries(clipped) }
}

/** Two bytes for a character, and something for each header itself. */
function headCost({ line, headers }: ViewHead): number {
  let cost = 2 * line.length
  for (const name of Object.keys(headers)) cost += 50 + 2 * (name.length + (headers[name] ?? '').length)
  return cost
}
