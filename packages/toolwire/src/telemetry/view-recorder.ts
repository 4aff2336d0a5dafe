/**
 * The bytes of one view, up to a limit. They are copied into blocks: chunks are often small pieces of large buffers,
 * and keeping them would keep all that lies around them.
 */
import type { BlockPool } from './block-pool.ts'
import { blockSize, createBlockPool } from './block-pool.ts'
import { clipText } from './clip-text.ts'
import { shownHeader } from './mask-secrets.ts'

interface ViewHead {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
}

/** One request or answer of a view; a view has several when the upstream is asked more than once. */
interface RecordedPart {
  readonly head: ViewHead | undefined
  /** How many bytes there were, kept or not. */
  readonly size: number
  readonly kept: Uint8Array
}

export interface ViewRecorder {
  head(head: ViewHead): void
  chunk(chunk: string | Uint8Array): void
  parts(): RecordedPart[]
  /** How many parts came after the limit was reached. */
  omitted(): number
  /** Forgets everything, so that the blocks can serve others. */
  free(): void
}

export interface RecorderOptions {
  /** Of all memory this view may take. */
  readonly limit: number
  /** Asks for memory; `false` when there is none. */
  reserve(bytes: number): boolean
  /** Where blocks come from; by default each is new. */
  readonly blocks?: BlockPool
}

/** A head as it is kept: each name is followed by its value. */
interface KeptHead {
  readonly line: string
  readonly headers: readonly string[]
}

interface Part {
  readonly head: KeptHead | undefined
  /** All but the last are full. */
  readonly blocks: Buffer[]
  filled: number
  size: number
  /** Nothing more is kept of this part. */
  closed: boolean
}

/** Stands where there is no block yet: it has no room. */
const noBlock = Buffer.alloc(0)
const newBlocks = createBlockPool(0)

/** What one unit of a string takes in UTF-8. */
const mostBytesOfUnit = 3
const longestHeader = 2000
const mostHeaders = 100
/** What a part costs beside its bytes. */
const partCost = 200

export function createViewRecorder(options: RecorderOptions): ViewRecorder {
  return new BlockRecorder(options)
}

class BlockRecorder implements ViewRecorder {
  readonly #limit: number
  readonly #reserve: (bytes: number) => boolean
  readonly #pool: BlockPool
  #parts: Part[] = []
  #used = 0
  #omitted = 0
  #current: Part | undefined
  #block: Buffer = noBlock

  constructor({ limit, reserve, blocks = newBlocks }: RecorderOptions) {
    this.#limit = limit
    this.#reserve = reserve
    this.#pool = blocks
  }

  head(head: ViewHead): void {
    this.#open(keptHead(head))
  }

  // Called for every chunk of every stream, so the usual case comes first and does the least.
  chunk(chunk: string | Uint8Array): void {
    const part = this.#current ?? this.#open(undefined)
    const room = this.#block.length - part.filled
    if (typeof chunk === 'string') this.#text(part, chunk, room)
    else {
      part.size += chunk.byteLength
      if (part.closed) return
      if (chunk.byteLength > room) this.#spread(part, chunk)
      else {
        this.#block.set(chunk, part.filled)
        part.filled += chunk.byteLength
      }
    }
  }

  #text(part: Part, text: string, room: number): void {
    // A text that fits whatever its characters take need not be measured first.
    if (mostBytesOfUnit * text.length <= room && !part.closed) {
      const length = this.#block.write(text, part.filled)
      part.size += length
      part.filled += length
      return
    }
    const length = Buffer.byteLength(text)
    part.size += length
    if (part.closed) return
    if (length > room) {
      // A character takes at least one byte, so no more characters can fit than bytes.
      this.#spread(part, Buffer.from(text.slice(0, this.#limit)))
      return
    }
    this.#block.write(text, part.filled)
    part.filled += length
  }

  parts(): RecordedPart[] {
    return this.#parts.map(({ head, size, blocks, filled }) => ({
      head: head && { line: head.line, headers: headersOf(head) },
      size,
      kept: joined(blocks, filled),
    }))
  }

  omitted(): number {
    return this.#omitted
  }

  free(): void {
    for (const { blocks } of this.#parts) this.#pool.give(blocks)
    this.#parts = []
    this.#block = noBlock
    // Should there be more, it is not kept.
    this.#current = { head: undefined, blocks: [], filled: 0, size: 0, closed: true }
  }

  #open(head: KeptHead | undefined): Part {
    const part: Part = { head, blocks: [], filled: 0, size: 0, closed: false }
    if (this.#take(partCost + headCost(head))) this.#parts.push(part)
    else {
      part.closed = true
      this.#omitted++
    }
    this.#block = noBlock
    this.#current = part
    return part
  }

  #take(bytes: number): boolean {
    if (this.#used + bytes > this.#limit || !this.#reserve(bytes)) return false
    this.#used += bytes
    return true
  }

  /** For what does not fit into the block as it is. */
  #spread(part: Part, bytes: Uint8Array): void {
    let offset = 0
    while (offset < bytes.byteLength) {
      if (part.filled === this.#block.length && !this.#addBlock(part, bytes.byteLength - offset)) {
        part.closed = true
        return
      }
      const room = this.#block.length - part.filled
      const piece = bytes.subarray(offset, offset + room)
      this.#block.set(piece, part.filled)
      part.filled += piece.byteLength
      offset += piece.byteLength
    }
  }

  /** A block for at least some of what comes: the more there is or was, the larger. */
  #addBlock(part: Part, wanted: number): boolean {
    const grown = blockSize(Math.max(wanted, part.size - wanted))
    const length = Math.min(grown, this.#limit - this.#used)
    if (length <= 0 || !this.#take(length)) return false
    this.#block = this.#pool.take(length)
    part.blocks.push(this.#block)
    part.filled = 0
    return true
  }
}

function joined(blocks: readonly Buffer[], filled: number): Uint8Array {
  const last = blocks.at(-1)
  return last === undefined
    ? Buffer.alloc(0)
    : Buffer.concat([...blocks.slice(0, -1), last.subarray(0, filled)])
}

function keptHead({ line, headers }: ViewHead): KeptHead {
  const kept: string[] = []
  for (const name of Object.keys(headers)) {
    if (kept.length === 2 * mostHeaders) break
    kept.push(clipText(name, longestHeader), clipText(shownHeader(name, headers[name] ?? ''), longestHeader))
  }
  return { line: clipText(line, longestHeader), headers: kept }
}

function headersOf({ headers }: KeptHead): Record<string, string> {
  const pairs: [name: string, value: string][] = []
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] ?? '', headers[i + 1] ?? ''])
  return Object.fromEntries(pairs)
}

/** Two bytes for a character, and something for each header itself. */
function headCost(head: KeptHead | undefined): number {
  if (head === undefined) return 0
  let cost = 2 * head.line.length + 25 * head.headers.length
  for (const text of head.headers) cost += 2 * text.length
  return cost
}
