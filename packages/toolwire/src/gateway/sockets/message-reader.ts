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
  /** Of messages that wait. Whoever aborts the signal releases it. */
  readonly memory: Holding
  /** Aborts when the socket is gone. */
  readonly signal: SignalLike
  /** `bytes`: how many the message has; the memory for it is no longer taken. Throws a `GatewayError` for one that cannot be taken. */
  readonly onMessage: (message: ClientMessage, bytes: number) => void
  readonly onRefused: (failure: GatewayError, lane: string | undefined) => void
}

/** What a message takes beside its bytes while it waits: else a flood of short ones would take memory that nobody counts. */
const waitingCost = 1024

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
    const taken = data.length + waitingCost
    memory.take(taken, 'request')
    this.#waiting++
    this.#last = this.#last.then(async () => {
      const tell =
        isLong && workers !== undefined ? await this.#readThere(data, workers) : () => this.#readHere(data)
      this.#waiting--
      if (signal.aborted) return
      memory.give(taken)
      tell()
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

  /** Returns what is to be done with the message. */
  async #readThere(data: Uint8Array, workers: WorkerPool): Promise<() => void> {
    const { limits, signal, onRefused } = this.#options
    const { depth, nodes } = limits
    const { length } = data
    try {
      const bytes = await ownBytes(data, false)
      const found = await workers.with(signal, worker =>
        worker.run('readMessage', { bytes, limits: { depth, nodes } }, [bytes.buffer]),
      )
      const { lane, message, failure, bytes: body } = found
      const read = (): ClientMessage => {
        if (message === undefined) throw failureOf(failure)
        return { ...message, body: () => asBuffer(body) }
      }
      return () => this.#tell(length, read, () => lane)
    } catch (error) {
      return () => onRefused(asGatewayError(error), undefined)
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
