/**
 * The bytes of one view, up to a limit. They are copied into few large blocks: chunks are often small pieces of large
 * buffers, and keeping them would keep all that lies around them.
 */
import { clipText } from './clip-text.ts'
import { maskHeaders } from './mask-secrets.ts'

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
}

export interface RecorderOptions {
  /** Of all memory this view may take. */
  readonly limit: number
  /** Asks for memory; `false` when there is none. */
  reserve(bytes: number): boolean
}

interface Part {
  readonly head: ViewHead | undefined
  /** All but the last are full. */
  readonly blocks: Buffer[]
  filled: number
  size: number
  /** Nothing more is kept of this part. */
  closed: boolean
}

/** Stands where there is no block yet: it has no room. */
const noBlock = Buffer.alloc(0)

const smallestBlock = 1024
const largestBlock = 64 * 1024
const longestHeader = 2000
const mostHeaders = 100
/** What a part costs beside its bytes. */
const partCost = 200

export function createViewRecorder({ limit, reserve }: RecorderOptions): ViewRecorder {
  const parts: Part[] = []
  let used = 0
  let omitted = 0
  let current: Part | undefined
  let block = noBlock

  const take = (bytes: number): boolean => {
    if (used + bytes > limit || !reserve(bytes)) return false
    used += bytes
    return true
  }

  const open = (head: ViewHead | undefined): Part => {
    const part: Part = { head, blocks: [], filled: 0, size: 0, closed: false }
    if (take(partCost + headCost(head))) parts.push(part)
    else {
      part.closed = true
      omitted++
    }
    block = noBlock
    current = part
    return part
  }

  /** A block for at least some of what comes: the more there is, the larger. */
  const addBlock = (part: Part, wanted: number): boolean => {
    const grown = Math.min(largestBlock, Math.max(smallestBlock, 2 * block.length))
    const length = Math.min(Math.max(wanted, grown), limit - used)
    if (length <= 0 || !take(length)) return false
    block = Buffer.allocUnsafeSlow(length)
    part.blocks.push(block)
    part.filled = 0
    return true
  }

  /** For what does not fit into the block as it is. */
  const spread = (part: Part, bytes: Uint8Array): void => {
    let offset = 0
    while (offset < bytes.byteLength) {
      if (part.filled === block.length && !addBlock(part, bytes.byteLength - offset)) {
        part.closed = true
        return
      }
      const piece = bytes.subarray(offset, offset + block.length - part.filled)
      block.set(piece, part.filled)
      part.filled += piece.byteLength
      offset += piece.byteLength
    }
  }

  return {
    head(head) {
      open(clipHead(head))
    },
    // Called for every chunk of every stream, so the usual case comes first and does the least.
    chunk(chunk) {
      const part = current ?? open(undefined)
      const isText = typeof chunk === 'string'
      const length = isText ? Buffer.byteLength(chunk) : chunk.byteLength
      part.size += length
      if (part.closed) return
      if (length > block.length - part.filled) {
        // A character takes at least one byte, so no more characters can fit than bytes.
        spread(part, isText ? Buffer.from(chunk.slice(0, limit)) : chunk)
        return
      }
      if (isText) block.write(chunk, part.filled)
      else block.set(chunk, part.filled)
      part.filled += length
    },
    parts: () =>
      parts.map(({ head, size, blocks, filled }) => ({ head, size, kept: joined(blocks, filled) })),
    omitted: () => omitted,
  }
}

function joined(blocks: readonly Buffer[], filled: number): Uint8Array {
  const last = blocks.at(-1)
  return last === undefined
    ? Buffer.alloc(0)
    : Buffer.concat([...blocks.slice(0, -1), last.subarray(0, filled)])
}

function clipHead({ line, headers }: ViewHead): ViewHead {
  const entries = Object.entries(maskHeaders(headers)).slice(0, mostHeaders)
  return {
    line: clipText(line, longestHeader),
    headers: Object.fromEntries(
      entries.map(([name, value]) => [clipText(name, longestHeader), clipText(value, longestHeader)]),
    ),
  }
}

/** Two bytes for a character, and something for each header itself. */
function headCost(head: ViewHead | undefined): number {
  if (head === undefined) return 0
  let cost = 2 * head.line.length
  for (const [name, value] of Object.entries(head.headers)) cost += 2 * (name.length + value.length) + 50
  return cost
}
