/** How large things may grow in this process, measured by the memory that Node gives its heap. */
import { getHeapStatistics } from 'node:v8'

const usualHeapBytes = 4 * 1024 ** 3

/** A runtime that has no such limit, or does not say, counts as one of the usual size. */
function heapLimitBytes(): number {
  const { heap_size_limit: limit } = getHeapStatistics()
  return limit > 0 ? limit : usualHeapBytes
}

/** A part of the heap, and no more than `most`. */
export function heapShare(part: number, most: number = Number.POSITIVE_INFINITY): number {
  return Math.min(most, Math.floor(heapLimitBytes() * part))
}
