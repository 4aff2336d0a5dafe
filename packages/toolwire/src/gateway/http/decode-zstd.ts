/**
 * Bodies in zstd for versions of Node that have no decoder of their own. The blocks of a body are found first, and decoded
 * one by one: what comes out of each is known to be short, and others get their turn in between.
 */
import { Decompress } from 'fzstd'

/** What RFC 9659 allows in HTTP. A decoder holds as much from the first byte on, whatever comes. */
const largestWindow = 8 * 1024 * 1024
/** After so many bytes others get their turn. */
const turnBytes = 256 * 1024
/** The decoder moves its window for every block, however short, and takes as long for that as for a part of so many bytes. */
const movedForByte = 64
/** What a block moves at least, for all else that it takes. */
const leastMoved = 1024 * 1024
/** The first block of a frame brings a new window, which takes as long as moving so many. */
const movesOfFrame = 64
/** Four times what a body of 64 MiB moves in blocks of the usual length. */
const mostMoved = 16 * 1024 ** 3

/** Calls `onChunk` with what comes out, as it comes. Throws what that throws, and errors for what is no zstd. */
export async function decodeZstd(bytes: Buffer, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  let since = 0
  const decoder = new Decompress(chunk => {
    since += chunk.length
    onChunk(chunk)
  })
  let start = 0
  for (const { end, moves } of blocksOf(bytes)) {
    decoder.push(bytes.subarray(start, end), end === bytes.length)
    since += end - start + moves / movedForByte
    start = end
    if (since < turnBytes) continue
    since = 0
    await new Promise(resolve => setImmediate(resolve))
  }
}

interface Block {
  readonly end: number
  /** How many bytes the decoder moves for it. */
  readonly moves: number
}

/** All blocks of the body, before any is decoded. Throws if they would take too long. */
function blocksOf(bytes: Buffer): readonly Block[] {
  const found: Block[] = []
  let moved = 0
  for (const block of blocks(bytes)) {
    moved += block.moves
    if (moved > mostMoved) throw new Error('It has too many short blocks.')
    found.push(block)
  }
  return found
}

/** Where each block ends. The first of a frame comes with the frame's head, the last with its checksum. */
function* blocks(bytes: Buffer): Generator<Block> {
  let at = 0
  while (at < bytes.length) {
    const magic = bytes.readUInt32LE(at)
    if (magic >>> 4 === 0x184d2a5) {
      at += 8 + bytes.readUInt32LE(at + 4)
      yield { end: complete(at, bytes), moves: movesOfFrame * leastMoved }
      continue
    }
    if (magic !== 0xfd2fb528) throw new Error('This is no frame of zstd.')
    const { length, hasChecksum, window } = readHead(bytes, at)
    at += length
    const moves = Math.max(window, leastMoved)
    for (let isFirst = true, isLast = false; !isLast; isFirst = false) {
      const head = bytes.readUIntLE(at, 3)
      isLast = (head & 1) === 1
      at += 3 + (((head >> 1) & 3) === repeatedByte ? 1 : head >> 3)
      if (isLast && hasChecksum) at += 4
      yield { end: complete(at, bytes), moves: isFirst ? movesOfFrame * moves : moves }
    }
  }
}

/** The type of a block that is one byte many times. */
const repeatedByte = 1

function complete(end: number, { length }: Buffer): number {
  if (end > length) throw new Error('The body is cut off.')
  return end
}

interface FrameHead {
  readonly length: number
  readonly hasChecksum: boolean
  readonly window: number
}

function readHead(bytes: Buffer, at: number): FrameHead {
  const flags = bytes.readUInt8(at + 4)
  const isWhole = (flags & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0
  const sizeBytes = [isWhole ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0
  const sizeAt = at + 5 + (isWhole ? 0 : 1) + dictionaryBytes
  const window = isWhole ? readSize(bytes, sizeAt, sizeBytes) : readWindow(bytes.readUInt8(at + 5))
  if (window > largestWindow || dictionaryBytes > 0) throw new Error('It needs too much, or a dictionary.')
  return { length: sizeAt + sizeBytes - at, hasChecksum: (flags & 4) !== 0, window }
}

/** Of a frame that is its own window. */
function readSize(bytes: Buffer, at: number, count: number): number {
  return count === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUIntLE(at, count)
}

function readWindow(described: number): number {
  const base = 2 ** (10 + (described >> 3))
  return base + (base / 8) * (described & 7)
}
