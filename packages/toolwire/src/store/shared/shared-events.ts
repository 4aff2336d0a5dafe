/** The events of streamed background responses in a store on a server, and who waits for more of them. */
import { createHash } from 'node:crypto'
import { checkKey } from '../checks.ts'
import type { NewEvents, StoredEvents } from '../store.ts'
import { leaseLost } from '../store-error.ts'
import { eventPieceBytes, eventsFrom, eventsKeptSeconds, mostEventBytes } from './event-pieces.ts'
import type { Argument } from './procedures.ts'
import { SharedClaims } from './shared-claims.ts'

export abstract class SharedEvents extends SharedClaims {
  readonly #watchers = new Map<string, Set<() => void>>()

  protected abstract readonly token: string

  async appendEvents(owner: string, id: string, events: NewEvents): Promise<void> {
    checkKey(owner, id)
    const [row] = await this.call(
      'append_events',
      this.token,
      owner,
      id,
      ...eventArguments(owner, id, events),
    )
    if (row?.[0] !== 'ok') throw leaseLost(id)
  }

  async readEvents(owner: string, id: string, from: number): Promise<StoredEvents | 'gone' | undefined> {
    checkKey(owner, id)
    const [head, ...batches] = await this.call('read_events', this.now(), owner, id, from, eventPieceBytes)
    if (head === undefined) return undefined
    const kept = batches.map(([first, text]) => ({ first: Number(first), text: text ?? '' }))
    return eventsFrom(from, Number(head[0]), head[1] === '1', kept)
  }

  watchEvents(owner: string, id: string, wake: () => void): () => void {
    const name = nameOf(owner, id)
    const watchers = this.#watchers.get(name) ?? new Set()
    this.#watchers.set(name, watchers.add(wake))
    // Readers look once a second anyway.
    this.listen(woken => this.#watchers.get(woken)?.forEach(call => void call())).catch(() => {})
    return () => {
      watchers.delete(wake)
      if (watchers.size === 0 && this.#watchers.get(name) === watchers) this.#watchers.delete(name)
    }
  }

  protected async trimEvents(): Promise<void> {
    await this.call('trim_events', eventsKeptSeconds)
  }
}

/** What a procedure that adds events is given of them. */
export const eventArguments = (
  owner: string,
  id: string,
  { first, events, isLast }: NewEvents,
): readonly Argument[] => [
  ...[first, events.length, Number(isLast), events.join('')],
  ...[mostEventBytes, eventsKeptSeconds, nameOf(owner, id)],
]

/** Short enough for a notification of Postgres, and without anything that others on the server should not read. */
const nameOf = (owner: string, id: string): string =>
  createHash('sha256')
    .update(JSON.stringify([owner, id]))
    .digest('base64url')
