/** Several who watch, as one. None of them can harm the exchange or the others. */
import type { ExchangeFacts, Observation, Observer, ViewName } from './observer.ts'

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

interface Watcher {
  readonly observer: Observer
  readonly observation: Observation
  /** It threw, and is told no more. */
  hasFailed: boolean
}

type ViewHead = Parameters<Observation['viewHead']>[1]

class CombinedObservation implements Observation {
  readonly facts: ExchangeFacts
  readonly #watchers: readonly Watcher[]
  readonly #complain: Complain

  constructor(facts: ExchangeFacts, watchers: readonly Watcher[], complain: Complain) {
    this.facts = facts
    this.#watchers = watchers
    this.#complain = complain
  }

  get wantsViews(): boolean {
    for (const { observation, hasFailed } of this.#watchers) {
      if (!hasFailed && observation.wantsViews) return true
    }
    return false
  }

  // Called for every chunk of every stream, so none of these makes a function of what it tells.
  view(name: ViewName, chunk: string | Uint8Array): void {
    for (const watcher of this.#watchers) {
      if (watcher.hasFailed) continue
      try {
        if (watcher.observation.wantsViews) watcher.observation.view(name, chunk)
      } catch (error) {
        this.#leave(watcher, error)
      }
    }
  }

  viewHead(name: ViewName, head: ViewHead): void {
    for (const watcher of this.#watchers) {
      if (watcher.hasFailed) continue
      try {
        if (watcher.observation.wantsViews) watcher.observation.viewHead(name, head)
      } catch (error) {
        this.#leave(watcher, error)
      }
    }
  }

  end(): void {
    for (const watcher of this.#watchers) {
      if (watcher.hasFailed) continue
      try {
        watcher.observation.end()
      } catch (error) {
        this.#leave(watcher, error)
      }
    }
  }

  #leave(watcher: Watcher, error: unknown): void {
    watcher.hasFailed = true
    this.#complain(watcher.observer, error)
  }
}

function beginAll(observers: readonly Observer[], facts: ExchangeFacts, complain: Complain): Watcher[] {
  const watchers: Watcher[] = []
  for (const observer of observers) {
    try {
      watchers.push({ observer, observation: observer.begin(facts), hasFailed: false })
    } catch (error) {
      complain(observer, error)
    }
  }
  return watchers
}
