/** The messages of a socket in their order. A long one is read by a worker thread, and those that follow wait for it. */
import type { SignalLike } from '@toolwire/core'
import { asGatewayError, type GatewayError } from '../errors.ts'
import type { Holding } from '../http/byte-budget.ts'
import { asBuffer } from '../http/bytes.ts'
import type { Limits } from '../settings.ts'
import { ownBytes } from '../workers/plain-data.ts'
import { failureOf, type WorkerPool } from '../workers/pool.ts'
import { type ClientMessage, readMessage } from './message.ts'

interface MessageReaderOptions {
  readonly limits: Limits
  readonly workers: WorkerPool | undefined
  /** Of messages that wait. */
  readonly memory: Holding
  /** Aborts when the socket is gone. */
  readonly signal: SignalLike
  /** `bytes`: how many the message has. Throws a `GatewayError` for one that cannot be taken. */
  readonly onMessage: (message: ClientMessage, bytes: number) => void
  readonly onRefused: (failure: GatewayError, lane: string | undefined) => void
}

export class MessageReader {
  readonly #options: MessageReaderOptions
  #waiting = 0
  #last = Promise.resolve()

  constructor(options: MessageReaderOptions) {
    this.#options = options
  }

  /** Throws when there is no memory for a message that has to wait. */
  take(data: Uint8Array): void {
    const { limits, workers, memory, signal } = this.#options
    const isLong = data.length > limits.inlineBytes
    if (this.#waiting === 0 && (!isLong || workers === undefined)) {
      this.#readHere(data)
      return
    }
    const { length } = data
    memory.take(length, 'request')
    this.#waiting++
    this.#last = this.#last.then(async () => {
      if (isLong && workers !== undefined) await this.#readThere(data, workers)
      else if (!signal.aborted) this.#readHere(data)
      this.#waiting--
      // Whoever closes the socket gives everything back.
      if (!signal.aborted) memory.give(length)
    })
  }

  #readHere(data: Uint8Array): void {
    let lane: string | undefined
    const noteLane = (name: string): void => {
      lane = name
    }
    this.#tell(
      data.length,
      () => readMessage(data, this.#options.limits, noteLane),
      () => lane,
    )
  }

  async #readThere(data: Uint8Array, workers: WorkerPool): Promise<void> {
    const { limits, signal, onRefused } = this.#options
    const { depth, nodes } = limits
    const { length } = data
    try {
      const bytes = await ownBytes(data, false)
      const {
        lane,
        message,
        failure,
        bytes: body,
      } = await workers.with(signal, worker =>
        worker.run('readMessage', { bytes, limits: { depth, nodes } }, [bytes.buffer]),
      )
      if (signal.aborted) return
      const read = (): ClientMessage => {
        if (message === undefined) throw failureOf(failure)
        return { ...message, body: () => asBuffer(body) }
      }
      this.#tell(length, read, () => lane)
    } catch (error) {
      if (!signal.aborted) onRefused(asGatewayError(error), undefined)
    }
  }

  #tell(bytes: number, read: () => ClientMessage, lane: () => string | undefined): void {
    const { onMessage, onRefused } = this.#options
    try {
      onMessage(read(), bytes)
    } catch (error) {
      onRefused(asGatewayError(error), lane())
    }
  }
}
