/** Several who watch, as one. None of them can harm the exchange or the others. */
import type { ExchangeFacts, Observation, Observer, ViewName } from '../gateway/observation.ts'

/** All share one object of facts. Who throws is told of once, and sees no more of that exchange. */
export function combineObservers(...observers: readonly Observer[]): Observer {
  const complained = new Set<Observer>()
  const complain = (observer: Observer, error: unknown): void => {
    if (complained.has(observer)) return
    complained.add(observer)
    const reason = error instanceof Error ? error.message : String(error)
    process.emitWarning(`Watching an exchange failed: ${reason}`, 'ToolwireTelemetryWarning')
  }

  return {
    begin: facts => new CombinedObservation(facts, beginAll(observers, facts, complain), complain),
  }
}

type Complain = (observer: Observer, error: unknown) => void

class CombinedObservation implements Observation {
  readonly facts: ExchangeFacts
  readonly #watching: Map<Observer, Observation>
  readonly #complain: Complain

  constructor(facts: ExchangeFacts, watching: Map<Observer, Observation>, complain: Complain) {
    this.facts = facts
    this.#watching = watching
    this.#complain = complain
  }

  get wantsViews(): boolean {
    for (const observation of this.#watching.values()) if (observation.wantsViews) return true
    return false
  }

  view(name: ViewName, chunk: string | Uint8Array): void {
    this.#each(observation => observation.wantsViews && observation.view(name, chunk))
  }

  viewHead(name: ViewName, head: { readonly line: string; readonly headers: Record<string, string> }): void {
    this.#each(observation => observation.wantsViews && observation.viewHead(name, head))
  }

  end(): void {
    this.#each(observation => observation.end())
  }

  #each(tell: (observation: Observation) => unknown): void {
    for (const [observer, observation] of this.#watching) {
      try {
        tell(observation)
      } catch (error) {
        this.#watching.delete(observer)
        this.#complain(observer, error)
      }
    }
  }
}

function beginAll(
  observers: readonly Observer[],
  facts: ExchangeFacts,
  complain: Complain,
): Map<Observer, Observation> {
  const watching = new Map<Observer, Observation>()
  for (const observer of observers) {
    try {
      watching.set(observer, observer.begin(facts))
    } catch (error) {
      complain(observer, error)
    }
  }
  return watching
}
