/**
 * The bytes of one view, up to a limit. They are copied into blocks: chunks are often small pieces of large buffers,
 * and keeping them would keep all that lies around them. What another view has kept already is not kept again.
 */
import type { BlockPool } from './block-pool.ts'
import { blockSize, createBlockPool, smallestBlock } from './block-pool.ts'
import type { ViewHead } from './clip-headers.ts'
import { clipHead, headCost, visibleHead } from './clip-headers.ts'
import { mostBytesOfUnit, scratchEncode } from './scratch-encode.ts'
import type { KeptBlocks } from './shared-view.ts'
import { SharedView } from './shared-view.ts'

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
  /** For a view that may say the same as the last part of this one. It must be freed with this one. */
  repetition(): SharedView | undefined
  /** For now there is no more: nothing is held that is not counted. */
  settle(): void
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

interface Part extends KeptBlocks {
  readonly head: ViewHead | undefined
  readonly blocks: Buffer[]
  filled: number
  size: number
  /** Nothing more is kept of this part. */
  closed: boolean
  /** As long as there is one, it has all that was said, and there are no blocks. */
  repetition: SharedView | undefined
}

/** Stands where there is no block yet: it has no room. */
const noBlock = Buffer.alloc(0)
const newBlocks = createBlockPool(0)

/** From so many characters on there is nothing to gain by waiting for more. */
const worthWriting = 4096
/** What a part costs beside its bytes. */
const partCost = 200

/** `original`: a view that is told everything first, and mostly the same. */
export function createViewRecorder(options: RecorderOptions, original?: ViewRecorder): ViewRecorder {
  return new BlockRecorder(options, original)
}

class BlockRecorder implements ViewRecorder {
  readonly #options: RecorderOptions
  readonly #original: ViewRecorder | undefined
  #parts: Part[] = []
  #used = 0
  #omitted = 0
  #current: Part | undefined
  /** Text of the current part that is still to be kept: many small pieces cost less as one. */
  #said = ''
  #block: Buffer = noBlock

  constructor(options: RecorderOptions, original: ViewRecorder | undefined) {
    this.#options = options
    this.#original = original
  }

  head(head: ViewHead): void {
    this.settle()
    this.#current = this.#open(clipHead(head))
  }

  // Called for every chunk of every stream, so the usual case comes first and does the least.
  chunk(chunk: string | Uint8Array): void {
    this.#current ??= this.#open(undefined)
    if (typeof chunk === 'string') {
      this.#said += chunk
      if (this.#said.length >= worthWriting) this.settle()
    } else {
      this.settle()
      this.#keep(this.#current, chunk)
    }
  }

  settle(): void {
    if (this.#said === '' || this.#current === undefined) return
    const text = this.#said
    this.#said = ''
    this.#keep(this.#current, text)
  }

  #keep(part: Part, chunk: string | Uint8Array): void {
    if (part.repetition === undefined) this.#add(part, chunk)
    else this.#repeat(part, part.repetition, chunk)
  }

  #add(part: Part, chunk: string | Uint8Array): void {
    if (typeof chunk === 'string') this.#text(part, chunk)
    else this.#bytes(part, chunk)
  }

  #bytes(part: Part, bytes: Uint8Array): void {
    part.size += bytes.byteLength
    if (part.closed) return
    if (bytes.byteLength > this.#block.length - part.filled) this.#spread(part, bytes)
    else {
      this.#block.set(bytes, part.filled)
      part.filled += bytes.byteLength
    }
  }

  #text(part: Part, text: string): void {
    // A text that fits whatever its characters take need not be measured first.
    if (mostBytesOfUnit * text.length <= this.#block.length - part.filled && !part.closed) {
      const length = this.#block.write(text, part.filled)
      part.size += length
      part.filled += length
      return
    }
    part.size += Buffer.byteLength(text)
    if (!part.closed) this.#spread(part, this.#encoded(text))
  }

  /** A character takes at least one byte, so no more characters can fit than bytes. */
  #encoded(text: string): Uint8Array {
    return scratchEncode(text.slice(0, this.#options.limit))
  }

  #repeat(part: Part, repetition: SharedView, chunk: string | Uint8Array): void {
    const bytes = typeof chunk === 'string' ? this.#encoded(chunk) : chunk
    if (repetition.takes(bytes)) part.size += bytes.byteLength
    else {
      part.repetition = undefined
      part.size = 0
      for (const piece of repetition.pieces()) this.#bytes(part, piece)
      this.#add(part, chunk)
    }
  }

  parts(): RecordedPart[] {
    this.settle()
    return this.#parts.map(({ head, size, blocks, filled, repetition }) => ({
      head: head && visibleHead(head),
      size,
      kept: repetition === undefined ? joined(blocks, filled) : Buffer.concat(repetition.pieces()),
    }))
  }

  omitted(): number {
    return this.#omitted
  }

  repetition(): SharedView | undefined {
    return this.#current && new SharedView(this.#current)
  }

  free(): void {
    for (const { blocks } of this.#parts) this.#options.blocks?.release(blocks)
    this.#parts = []
    this.#said = ''
    this.#block = noBlock
    // Should there be more, it is not kept.
    this.#current = newPart(undefined, undefined)
    this.#current.closed = true
  }

  #open(head: ViewHead | undefined): Part {
    const isKept = this.#take(partCost + (head === undefined ? 0 : headCost(head)))
    const part = newPart(head, isKept ? this.#original?.repetition() : undefined)
    if (isKept) this.#parts.push(part)
    else {
      part.closed = true
      this.#omitted++
    }
    this.#block = noBlock
    return part
  }

  #take(bytes: number): boolean {
    const { limit, reserve } = this.#options
    if (this.#used + bytes > limit || !reserve(bytes)) return false
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
      const piece = offset === 0 && bytes.byteLength <= room ? bytes : bytes.subarray(offset, offset + room)
      this.#block.set(piece, part.filled)
      part.filled += piece.byteLength
      offset += piece.byteLength
    }
  }

  /** A block for what comes, or for much of it: the more there was before, the larger, unless memory is short. */
  #addBlock(part: Part, wanted: number): boolean {
    const { limit, blocks = newBlocks } = this.#options
    const room = limit - this.#used
    let length = Math.min(blockSize(Math.max(wanted, part.size - wanted)), room)
    if (length > 0 && !this.#take(length)) {
      length = length > smallestBlock && this.#take(smallestBlock) ? smallestBlock : 0
    }
    if (length <= 0) return false
    this.#block = blocks.take(length)
    part.blocks.push(this.#block)
    part.filled = 0
    return true
  }
}

function newPart(head: ViewHead | undefined, repetition: SharedView | undefined): Part {
  return { head, blocks: [], filled: 0, size: 0, closed: false, repetition }
}

function joined(blocks: readonly Buffer[], filled: number): Uint8Array {
  const last = blocks.at(-1)
  return last === undefined
    ? Buffer.alloc(0)
    : Buffer.concat([...blocks.slice(0, -1), last.subarray(0, filled)])
}
