/** The heap of this process: how large things may grow in it, and what V8 takes for old. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

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

/**
 * V8 makes objects old from the first where most of those that the same code made before were kept for long. While streams run, nearly
 * everything is; afterwards what such an object refers to is kept until all of the heap is collected, although both are done with
 * at once. Concerns the whole process, so it is for programs, not for libraries.
 */
export function makeObjectsYoung(): void {
  try {
    setFlagsFromString('--no-allocation-site-pretenuring')
  } catch {
    // Another engine, or one that has no such flag.
  }
}
