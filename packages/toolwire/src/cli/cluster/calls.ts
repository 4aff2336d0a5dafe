/** Questions and answers between two processes over the channel that a started process has to the one that started it. */
import { isObject } from '@toolwire/core/json'

export type Handler = (...given: never[]) => unknown

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

export class Calls {
  readonly #send: (message: object) => void
  readonly #handlers = new Map<string, Handler>()
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #isClosed = false

  /** `send` may throw where nobody listens any more. */
  constructor(send: (message: object) => void) {
    this.#send = send
  }

  on(name: string, handler: Handler): void {
    this.#handlers.set(name, handler)
  }

  /** Rejects when the other side fails or has gone, or has not answered in time. */
  ask(name: string, given: readonly unknown[] = [], deadlineMs?: number): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(gone())
    const id = ++this.#lastId
    let timer: NodeJS.Timeout | undefined
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      if (deadlineMs === undefined) return
      timer = setTimeout(() => reject(new Error(`"${name}" was not answered in time.`)), deadlineMs).unref()
    })
    this.#post({ ask: id, name, given })
    return answered.finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(id)
    })
  }

  /** Takes any message of the channel; those of others are left alone. */
  receive(message: unknown): void {
    if (!isObject(message)) return
    const { ask, name, given, reply, value, error } = message
    if (typeof ask === 'number') void this.#answer(ask, String(name), given as never[])
    else if (typeof reply === 'number') {
      const waiting = this.#waiting.get(reply)
      if (typeof error === 'string') waiting?.reject(new Error(error))
      else waiting?.resolve(value)
    }
  }

  /** The other side has gone. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(gone())
  }

  async #answer(reply: number, name: string, given: never[]): Promise<void> {
    try {
      this.#post({ reply, value: await this.#handlers.get(name)?.(...given) })
    } catch (error) {
      this.#post({ reply, error: error instanceof Error ? error.message : String(error) })
    }
  }

  #post(message: object): void {
    try {
      this.#send(message)
    } catch {
      this.close()
    }
  }
}

function gone(): Error {
  return new Error('The other process has ended.')
}
