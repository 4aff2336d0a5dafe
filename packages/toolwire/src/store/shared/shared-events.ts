/** The events of streamed background responses in a store on a server, and who waits for more of them. */
import { createHash } from 'node:crypto'
import { checkKey } from '../checks.ts'
import type { StoredEvents } from '../store.ts'
import { leaseLost } from '../store-error.ts'
import { SharedClaims } from './shared-claims.ts'

/** Of one response. Beyond that, the oldest are dropped. */
const mostBytes = 16 * 1024 * 1024
const keptSeconds = 3_600
const pieceBytes = 64 * 1024

export abstract class SharedEvents extends SharedClaims {
  readonly #watchers = new Map<string, Set<() => void>>()

  protected abstract readonly token: string

  async appendEvents(
    owner: string,
    id: string,
    first: number,
    events: readonly string[],
    isLast: boolean,
  ): Promise<void> {
    checkKey(owner, id)
    const [row] = await this.call(
      'append_events',
      ...[this.token, owner, id, first, events.length, Number(isLast), events.join('')],
      ...[mostBytes, keptSeconds, nameOf(owner, id)],
    )
    if (row?.[0] !== 'ok') throw leaseLost(id)
  }

  async readEvents(owner: string, id: string, from: number): Promise<StoredEvents | 'gone' | undefined> {
    checkKey(owner, id)
    const [head, ...batches] = await this.call('read_events', this.now(), owner, id, from, pieceBytes)
    if (head === undefined) return undefined
    const end = Number(head[0])
    const isOver = head[1] === '1'
    if (from >= end) return { text: '', next: from, isLast: isOver }
    const frames = batches.flatMap(([, text]) => (text ?? '').split(/(?<=\n\n)/))
    const [first] = batches
    if (first === undefined || Number(first[0]) > from) return 'gone'
    const next = Number(first[0]) + frames.length
    return { text: frames.slice(from - Number(first[0])).join(''), next, isLast: isOver && next >= end }
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
    await this.call('trim_events', keptSeconds)
  }
}

/** Short enough for a notification of Postgres, and without anything that others on the server should not read. */
const nameOf = (owner: string, id: string): string =>
  createHash('sha256')
    .update(JSON.stringify([owner, id]))
    .digest('base64url')
