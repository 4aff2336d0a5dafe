/** Several observers as one. An error in one of them affects neither the exchange nor the others. */
import { Passing, type Placed } from '../platform/passing.ts'
import type { ExchangeFacts, FactsObserver, Observation, Observer, ViewHead, ViewName } from './observer.ts'

type AnyObserver = Observer | FactsObserver

/** All share the facts. An observer that throws is reported once, and receives no more views of that exchange. */
export function combineObservers(...observers: readonly AnyObserver[]): Observer {
  return new CombinedObserver(observers, observation => observation.tell())
}

export class CombinedObserver implements Observer {
  readonly viewers: readonly Observer[]
  readonly others: readonly FactsObserver[]
  /** Tells of an exchange that has ended. */
  readonly onEnd: (observation: CombinedObservation) => void
  readonly #reported = new Set<AnyObserver>()
  /** Those that have not ended. */
  readonly running: Passing<CombinedObservation> = new Passing()

  constructor(observers: readonly AnyObserver[], onEnd: (observation: CombinedObservation) => void) {
    this.viewers = observers.filter(observer => 'begin' in observer)
    this.others = observers.filter(observer => 'ended' in observer)
    this.onEnd = onEnd
  }

  begin(facts: ExchangeFacts): Observation {
    const observations: (Observation | undefined)[] = []
    for (const observer of this.viewers) {
      try {
        observations.push(observer.begin(facts))
      } catch (error) {
        observations.push(undefined)
        this.report(observer, error)
      }
    }
    for (const observer of this.others) {
      try {
        observer.began?.(facts)
      } catch (error) {
        this.report(observer, error)
      }
    }
    const observation = new CombinedObservation(facts, observations, this)
    this.running.add(observation)
    return observation
  }

  ended(observer: FactsObserver, facts: ExchangeFacts): void {
    try {
      observer.ended(facts)
    } catch (error) {
      this.report(observer, error)
    }
  }

  flush(): void {
    for (const observer of this.others) {
      try {
        observer.flush?.()
      } catch (error) {
        this.report(observer, error)
      }
    }
  }

  report(observer: AnyObserver | undefined, error: unknown): void {
    if (observer === undefined || this.#reported.has(observer)) return
    this.#reported.add(observer)
    const reason = error instanceof Error ? error.message : String(error)
    process.emitWarning(`Watching an exchange failed: ${reason}`, 'ToolwireTelemetryWarning')
  }
}

export class CombinedObservation implements Observation, Placed {
  readonly facts: ExchangeFacts
  place = -1
  /** In the order of the viewers; `undefined` for one that has failed. */
  readonly #observations: (Observation | undefined)[]
  readonly #all: CombinedObserver
  #work: (() => void) | undefined
  #hasEnded = false

  constructor(facts: ExchangeFacts, observations: (Observation | undefined)[], all: CombinedObserver) {
    this.facts = facts
    this.#observations = observations
    this.#all = all
  }

  get wantsViews(): boolean {
    for (const observation of this.#observations) if (observation?.wantsViews === true) return true
    return false
  }

  // Called for every chunk of every stream, so these avoid creating a closure.
  view(name: ViewName, chunk: string | Uint8Array, isLent?: boolean, same?: Uint8Array): void {
    for (let i = 0; i < this.#observations.length; i++) {
      const observation = this.#observations[i]
      try {
        if (observation?.wantsViews === true) observation.view(name, chunk, isLent, same)
      } catch (error) {
        this.#exclude(i, error)
      }
    }
  }

  viewHead(name: ViewName, head: ViewHead): void {
    for (let i = 0; i < this.#observations.length; i++) {
      const observation = this.#observations[i]
      try {
        if (observation?.wantsViews === true) observation.viewHead(name, head)
      } catch (error) {
        this.#exclude(i, error)
      }
    }
  }

  later(work: () => void): void {
    this.#work = work
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#all.running.delete(this)
    this.#all.onEnd(this)
  }

  /** Adds what was to be added later. */
  complete(): void {
    const work = this.#work
    this.#work = undefined
    try {
      work?.()
    } catch (error) {
      this.#all.report(this.#all, error)
    }
  }

  /** Those without views first, so that the others know what they add, such as the cost. */
  tell(): void {
    this.complete()
    for (const observer of this.#all.others) this.#all.ended(observer, this.facts)
    this.tellViewers()
  }

  tellViewers(): void {
    for (let i = 0; i < this.#observations.length; i++) {
      try {
        this.#observations[i]?.end()
      } catch (error) {
        this.#exclude(i, error)
      }
    }
  }

  #exclude(index: number, error: unknown): void {
    this.#observations[index] = undefined
    this.#all.report(this.#all.viewers[index], error)
  }
}
