/**
 * Several upstreams for one model: which is asked first, and which are left alone for a while. A conversation stays with
 * one upstream of its order, on every gateway, because the choice is a hash of both. An upstream that fails repeatedly is
 * asked last for some seconds; then one request probes it. Gateways on one store share what they have found out.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Destination } from './route-model.ts'

/** After so many failures in a row an upstream is left alone. */
const mostFailures = 3
const coolMs = 15_000
/** How often others' findings are looked up, while there is a choice. */
const lookMs = 1_000
/** Under which claims of the store say which upstreams are left alone, and until when. */
const holder = 'toolwire cool-downs'
const until = 'cool until '

interface Health {
  failures: number
  coolUntil: number
}

type ClaimStore = Pick<Store, 'claimIds' | 'ownersOf'>

export class UpstreamPool {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #store: ClaimStore | undefined
  readonly #health = new Map<string, Health>()
  /** By the name of the upstream: models have upstreams of their own, and a busy one must not keep the others from being looked up. */
  readonly #lookedAt = new Map<string, number>()

  constructor(clock: Clock, random: () => number, store: ClaimStore | undefined) {
    this.#clock = clock
    this.#random = random
    this.#store = store
  }

  /** All that may be asked, the first one first. `conversation` is empty where it is not known. */
  inOrder(
    found: Destination,
    conversation: string,
    isPreferred: (destination: Destination) => boolean = () => false,
  ): readonly Destination[] {
    const { others = [] } = found
    if (others.length === 0) return [found]
    this.#look([found, ...others])
    const key = conversation === '' ? String(this.#random()) : conversation
    const ranked = [found, ...others].map((destination, place) => {
      const { name, order = place, weight = 1 } = destination.upstream
      const isLast = this.#isCool(name)
      const isFirst = isPreferred(destination)
      return { destination, order, score: scoreOf(key, name, weight), rank: isLast ? 2 : isFirst ? 0 : 1 }
    })
    ranked.sort((a, b) => a.rank - b.rank || a.order - b.order || b.score - a.score)
    // The others are asked only if this one fails.
    if (ranked[0] !== undefined) this.#beginProbe(ranked[0].destination.upstream.name)
    return ranked.map(({ destination }) => destination)
  }

  report(name: string, hasFailed: boolean): void {
    const known = this.#health.get(name)
    if (!hasFailed) {
      if (known !== undefined) this.#health.delete(name)
      return
    }
    const failures = (known?.failures ?? 0) + 1
    const isOver = failures >= mostFailures
    const coolUntil = isOver ? this.#clock.date() + coolMs : 0
    this.#health.set(name, { failures, coolUntil })
    // A store in trouble keeps nobody from answering.
    if (isOver) this.#store?.claimIds(until + coolUntil, holder, [name], coolUntil).catch(() => {})
  }

  /** While it is left alone; then for all but the one request that probes it. */
  #isCool(name: string): boolean {
    return (this.#health.get(name)?.coolUntil ?? 0) > this.#clock.date()
  }

  /** Should the probe not get as far as the upstream, there is another. */
  #beginProbe(name: string): void {
    const health = this.#health.get(name)
    if (health === undefined || health.failures < mostFailures) return
    health.coolUntil = Math.max(health.coolUntil, this.#clock.date() + coolMs)
  }

  /** Nobody waits for it. */
  #look(destinations: readonly Destination[]): void {
    if (this.#store === undefined) return
    const now = this.#clock.now()
    const names = destinations
      .map(({ upstream }) => upstream.name)
      .filter(name => now - (this.#lookedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= lookMs)
    if (names.length === 0) return
    for (const name of names) this.#lookedAt.set(name, now)
    const note = (cool: ReadonlyMap<string, string>): void => {
      const now = this.#clock.date()
      for (const [name, claim] of cool) {
        // A gateway of before says only that it is so.
        const coolUntil = Math.min(Number(claim.slice(until.length)) || now + lookMs, now + coolMs)
        const known = this.#health.get(name)
        if (known === undefined || known.coolUntil < coolUntil) {
          this.#health.set(name, { failures: mostFailures, coolUntil })
        }
      }
    }
    this.#store.ownersOf(holder, names).then(note, () => {})
  }
}

/** The highest wins. Each of several upstreams wins as often as its weight says, and without one the others keep their order. */
function scoreOf(key: string, name: string, weight: number): number {
  const hash = createHash('sha256').update(`${key}\n${name}`).digest().readUInt32BE(0)
  return -weight / Math.log((hash + 0.5) / 2 ** 32)
}
