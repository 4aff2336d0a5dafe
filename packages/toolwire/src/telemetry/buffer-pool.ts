/**
 * Buffers of dropped traces, for reuse. Exchanges come as fast as others are dropped, and allocating memory outside the
 * heap for each view would double the cost of tracing.
 */

const smallest = 1024

/** The smallest of 1, 1.5, 2, 3, 4, 6, 8… KiB that holds so many bytes: few sizes, with little waste. */
export function bufferSize(bytes: number): number {
  let size = smallest
  while (size < bytes) size *= 2
  return size > smallest && bytes <= 0.75 * size ? 0.75 * size : size
}

export class BufferPool {
  readonly #free = new Map<number, Buffer[]>()
  readonly #limit: number
  #bytes = 0

  /** `limit`: how many bytes of unused buffers are kept. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** A buffer of exactly this size with undefined content. */
  take(size: number): Buffer {
    const buffer = this.#free.get(size)?.pop()
    if (buffer === undefined) return Buffer.allocUnsafeSlow(size)
    this.#bytes -= size
    return buffer
  }

  /** The buffer must not be used afterwards. */
  release(buffer: Buffer): void {
    const size = buffer.length
    if (bufferSize(size) !== size || this.#bytes + size > this.#limit) return
    this.#bytes += size
    const free = this.#free.get(size)
    if (free === undefined) this.#free.set(size, [buffer])
    else free.push(buffer)
  }
}
