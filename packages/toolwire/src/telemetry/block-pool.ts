/**
 * Memory for views, used again and again: exchanges come as fast as others are forgotten, and a block that is taken
 * over costs neither the allocator nor the garbage collector anything.
 */

export interface BlockPool {
  /** A block of just this size. What is in it has no meaning. */
  take(size: number): Buffer
  /** Nobody else may look at them any more. */
  give(blocks: readonly Buffer[]): void
}

/** Few sizes, so that a block fits most of those who come after. */
const sizes = [1024, 4096, 16 * 1024, 64 * 1024] as const

const smallestBlock = sizes[0]

/** The largest of the sizes that is not above, or the smallest of all. */
export function blockSize(bytes: number): number {
  let size: number = smallestBlock
  for (const larger of sizes) if (larger <= bytes) size = larger
  return size
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
    give(blocks) {
      for (const block of blocks) {
        const others = free.get(block.length)
        if (others === undefined || freeBytes + block.length > limit) continue
        freeBytes += block.length
        others.push(block)
      }
    },
  }
}
