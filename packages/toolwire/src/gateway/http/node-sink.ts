/** The client's end of an answer behind `node:http`. */
import type { ServerResponse } from 'node:http'
import { endOfPiece } from '../../platform/text-slices.ts'
import { asBuffer } from './bytes.ts'
import type { HeaderMap, Sink } from './contract.ts'

/**
 * Long texts are written in pieces, so that little of them waits in the socket's own buffers, where it would be there a
 * second time, and so that it shows whether the client reads any of it.
 */
const pieceLength = 256 * 1024

export class NodeSink implements Sink {
  readonly #outgoing: ServerResponse
  /** What has not been given to the socket yet. */
  readonly #rest: (string | Buffer)[] = []
  /** How much of the first of these has been. */
  #at = 0
  #isEnding = false

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing
  }

  get #isOver(): boolean {
    return this.#isEnding || this.#outgoing.destroyed || this.#outgoing.writableEnded
  }

  head(status: number, headers: HeaderMap): void {
    // Held back until the first bytes of the body, so that both go out in one packet.
    if (!this.#outgoing.headersSent && !this.#isOver) this.#outgoing.writeHead(status, headers)
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#isOver) return true
    if (this.#rest.length === 0 && chunk.length <= pieceLength) return this.#outgoing.write(chunk)
    this.#add(chunk)
    return this.#rest.length === 0 && !this.#outgoing.writableNeedDrain
  }

  end(chunk?: string | Uint8Array): void {
    if (this.#isOver) return
    this.#isEnding = true
    if (this.#rest.length === 0 && (chunk === undefined || chunk.length <= pieceLength)) {
      this.#outgoing.end(chunk)
    } else this.#add(chunk ?? '')
  }

  onDrain(callback: () => void): void {
    const outgoing = this.#outgoing
    // After `end()` only the close of the connection counts as a drain.
    if (this.#isEnding) outgoing.once('close', callback)
    else this.#onTurn(() => (this.#rest.length > 0 ? this.onDrain(callback) : callback()))
  }

  get waiting(): number {
    if (this.#outgoing.destroyed) return 0
    const rest = this.#rest.reduce((sum, { length }) => sum + length, -this.#at)
    return rest + this.#outgoing.writableLength
  }

  cut(): void {
    this.#outgoing.destroy()
  }

  /**
   * When the socket takes more, but in another turn of the event loop. What the system takes at once drains before anybody
   * else has a turn, so a client that reads fast would keep all others waiting until it has everything.
   */
  #onTurn(callback: () => void): void {
    const outgoing = this.#outgoing
    if (outgoing.destroyed) return
    if (outgoing.writableNeedDrain) outgoing.once('drain', () => setImmediate(callback))
    else setImmediate(callback)
  }

  #add(chunk: string | Uint8Array): void {
    this.#rest.push(typeof chunk === 'string' ? chunk : asBuffer(chunk))
    if (this.#rest.length === 1) this.#writeRest()
  }

  readonly #writeRest = (): void => {
    const outgoing = this.#outgoing
    for (let [chunk] = this.#rest; chunk !== undefined; [chunk] = this.#rest) {
      if (outgoing.writableNeedDrain) {
        this.#onTurn(this.#writeRest)
        return
      }
      const end = pieceEnd(chunk, this.#at)
      if (end > this.#at) outgoing.write(piece(chunk, this.#at, end))
      this.#at = end
      if (end < chunk.length) continue
      this.#rest.shift()
      this.#at = 0
    }
    if (this.#isEnding) outgoing.end()
  }
}

export function pieceEnd(chunk: string | Buffer, start: number): number {
  const end = start + pieceLength
  return typeof chunk === 'string' ? endOfPiece(chunk, end) : Math.min(end, chunk.length)
}

function piece(chunk: string | Buffer, start: number, end: number): string | Buffer {
  return typeof chunk === 'string' ? chunk.slice(start, end) : chunk.subarray(start, end)
}
