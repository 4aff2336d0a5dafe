/**
 * The events of a response that another gateway works on, read from the store that they share. When that gateway dies, or
 * its last events are lost, the stored response is the end.
 */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import { isFinished } from '../../store/lifecycle.ts'
import type { Store } from '../../store/store.ts'
import { unlessAborted } from '../http/abort.ts'
import type { EventPiece, EventSource } from './event-logs.ts'

/** How long to wait for a wake-up before looking again. */
const lookMs = 1_000

export class RemoteEvents implements EventSource {
  isClosed = false
  readonly #store: Store
  readonly #clock: Clock
  readonly #owner: string
  readonly #id: string
  /** The response has ended, with which event where its own are not there. */
  #ending: string | undefined
  #lookedAt: number

  constructor(store: Store, clock: Clock, owner: string, id: string) {
    this.#store = store
    this.#clock = clock
    this.#owner = owner
    this.#id = id
    this.#lookedAt = clock.now()
  }

  async from(start: number): Promise<EventPiece | undefined> {
    if (this.isClosed) return { text: '', next: start }
    const found = await this.#store.readEvents?.(this.#owner, this.#id, start)
    if (found === undefined || found === 'gone') return undefined
    this.isClosed = found.isLast
    if (found.text !== '') this.#lookedAt = this.#clock.now()
    // Whoever ended the response has saved its last events with it, or has died before.
    else if (this.#ending !== undefined && !found.isLast) {
      this.isClosed = true
      const text = this.#ending.replace('"sequence_number":0', `"sequence_number":${start}`)
      return { text, next: start + 1 }
    }
    return found
  }

  async more(signal: SignalLike): Promise<void> {
    let stop = (): void => {}
    let cancel = (): void => {}
    const woken = new Promise<void>(resolve => {
      stop = this.#store.watchEvents?.(this.#owner, this.#id, resolve) ?? stop
      cancel = this.#clock.after(lookMs, resolve)
    })
    await unlessAborted(signal, woken).finally(() => {
      stop()
      cancel()
    })
    // Some stores wake whoever waits again and again, whether there is more or not.
    if (this.#clock.now() - this.#lookedAt >= 0.9 * lookMs) await this.#look()
  }

  async #look(): Promise<void> {
    this.#lookedAt = this.#clock.now()
    const record = await this.#store.getResponse(this.#owner, this.#id)
    if (record === undefined) this.isClosed = true
    else if (isFinished(record.status)) this.#ending = endOf(record)
  }
}

function endOf({ status, response }: { readonly status: string; readonly response: string }): string {
  const type = `response.${status === 'completed' || status === 'incomplete' ? status : 'failed'}`
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":0,"response":${response}}\n\n`
}
