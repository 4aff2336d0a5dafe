/**
 * Tells observers of many exchanges at a time: what runs once in a while between other work takes several times as long as
 * the same in a loop, and under load a write of the log costs more than everything else about a line.
 */
import type { CombinedObservation } from './combine-observers.ts'
import { CombinedObserver } from './combine-observers.ts'
import type {
  ExchangeFacts,
  FactsObserver,
  Observation,
  Observer,
  TraceReader,
  UsageReader,
} from './observer.ts'

/** More at a time gain nothing. */
const enough = 16
const momentMs = 20

/**
 * The first that ends after a pause is told of before the event loop turns, and those that follow it closely after a moment. Whoever
 * reads what the observers have noted calls `flush` first.
 */
export class ObserverBatches implements Observer {
  readonly #all: CombinedObserver
  #ended: CombinedObservation[] = []
  #isDue = false

  constructor(observers: readonly (Observer | FactsObserver)[]) {
    this.#all = new CombinedObserver(observers, observation => this.#add(observation))
    process.on('exit', this.flush)
  }

  begin(facts: ExchangeFacts): Observation {
    return this.#all.begin(facts)
  }

  *running(): Generator<ExchangeFacts> {
    for (const { facts } of this.#all.running) yield facts
  }

  /** Tells of all that have ended. */
  readonly flush = (): void => {
    const ended = this.#ended
    if (ended.length === 0) return
    this.#ended = []
    for (const observation of ended) observation.complete()
    for (const observer of this.#all.others) {
      for (const { facts } of ended) this.#all.ended(observer, facts)
    }
    for (const observation of ended) observation.tellViewers()
    this.#all.flush()
  }

  /** Whoever reads gets what has ended until then. */
  reading(reader: TraceReader): TraceReader {
    const { flush } = this
    return {
      list(limit, owner) {
        flush()
        return reader.list(limit, owner)
      },
      get(id, owner) {
        flush()
        return reader.get(id, owner)
      },
      watch() {
        const watch = reader.watch?.()
        return {
          take(owner) {
            flush()
            return watch?.take(owner) ?? []
          },
          close: () => watch?.close(),
        }
      },
    }
  }

  readingUsage(read: UsageReader): UsageReader {
    return (since, owner) => {
      this.flush()
      return read(since, owner)
    }
  }

  /** Tells of the rest. Of those that end later it is still told. */
  close(): void {
    process.off('exit', this.flush)
    this.flush()
  }

  #add(observation: CombinedObservation): void {
    if (this.#ended.push(observation) >= enough) this.flush()
    else if (!this.#isDue) {
      this.#isDue = true
      setImmediate(this.#afterMoment)
    }
  }

  readonly #afterMoment = (): void => {
    this.#isDue = this.#ended.length > 0
    this.flush()
    if (this.#isDue) setTimeout(this.#afterMoment, momentMs).unref()
  }
}
