/** A connection that is told of new events. It is made again when it was lost; until then its readers look by themselves. */
import type { PostgresClient } from './client.ts'

const againMs = 1_000

export class Listener {
  readonly #connect: () => Promise<PostgresClient>
  readonly #onWake: (name: string) => void
  #client: PostgresClient | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(connect: () => Promise<PostgresClient>, onWake: (name: string) => void) {
    this.#connect = connect
    this.#onWake = onWake
  }

  async begin(): Promise<void> {
    try {
      const client = await this.#connect()
      if (this.#isOver) return client.release(true)
      this.#client = client
      client.on('notification', ({ payload = '' }) => this.#onWake(payload))
      client.on('end', () => this.#lost())
      await client.query('LISTEN toolwire_wake')
    } catch {
      this.#lost()
    }
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#client?.release(true)
    this.#client = undefined
  }

  #lost(): void {
    this.#client?.release(true)
    this.#client = undefined
    if (this.#isOver) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.begin(), againMs)
    this.#timer.unref()
  }
}
