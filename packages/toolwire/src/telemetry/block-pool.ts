/**
 * Memory for views, used again and again: exchanges come as fast as others are forgotten, and a block that is taken
 * over costs neither the allocator nor the garbage collector anything.
 */

export interface BlockPool {
  /** A block of just this size. What is in it has no meaning. */
  take(size: number): Buffer
  /** Nobody else may look at them any more. */
  release(blocks: readonly Buffer[]): void
}

const kibi = 1024
export const smallestBlock: number = kibi
const largestBlock = 64 * kibi
/** Few sizes, so that a block fits most of those who come after, but close enough to each other to waste little. */
const sizes = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].map(size => size * kibi)

/** The smallest that holds so many bytes, or the largest of all. */
export function blockSize(bytes: number): number {
  for (const size of sizes) if (size >= bytes) return size
  return largestBlock
}

/** `limit`: of the bytes of free blocks. Those that are in use are counted by whoever uses them. */
export function createBlockPool(limit: number): BlockPool {
  const free = new Map<number, Buffer[]>(sizes.map(size => [size, []]))
  let freeBytes = 0
  return {
    take(size) {
      const block = free.get(size)?.pop()
      if (block === undefined) return Buffer.allocUnsafeSlow(size)
      freeBytes -= size
      return block
    },
    release(blocks) {
      for (const block of blocks) {
        const others = free.get(block.length)
        if (others === undefined || freeBytes + block.length > limit) continue
        freeBytes += block.length
        others.push(block)
      }
    },
  }
}
