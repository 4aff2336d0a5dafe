/** Several observers as one. An error in one of them affects neither the exchange nor the others. */
import type { ExchangeFacts, Observation, Observer, ViewHead, ViewName } from './observer.ts'

/** All share the facts. An observer that throws is reported once, and receives nothing more of that exchange. */
export function combineObservers(...observers: readonly Observer[]): Observer {
  const reported = new Set<Observer>()
  const report = (observer: Observer, error: unknown): void => {
    if (reported.has(observer)) return
    reported.add(observer)
    const reason = error instanceof Error ? error.message : String(error)
    process.emitWarning(`Watching an exchange failed: ${reason}`, 'ToolwireTelemetryWarning')
  }

  return {
    begin: facts => new CombinedObservation(facts, beginAll(observers, facts, report), report),
  }
}

type ReportFn = (observer: Observer, error: unknown) => void

interface Watcher {
  readonly observer: Observer
  readonly observation: Observation
  hasFailed: boolean
}

class CombinedObservation implements Observation {
  readonly facts: ExchangeFacts
  readonly #watchers: readonly Watcher[]
  readonly #report: ReportFn

  constructor(facts: ExchangeFacts, watchers: readonly Watcher[], report: ReportFn) {
    this.facts = facts
    this.#watchers = watchers
    this.#report = report
  }

  get wantsViews(): boolean {
    for (const { observation, hasFailed } of this.#watchers) {
      if (!hasFailed && observation.wantsViews) return true
    }
    return false
  }

  // Called for every chunk of every stream, so these three avoid creating a closure.
  view(name: ViewName, chunk: string | Uint8Array): void {
    for (const watcher of this.#watchers) {
      if (watcher.hasFailed) continue
      try {
        if (watcher.observation.wantsViews) watcher.observation.view(name, chunk)
      } catch (error) {
        this.#exclude(watcher, error)
      }
    }
  }

  viewHead(name: ViewName, head: ViewHead): void {
    for (const watcher of this.#watchers) {
      if (watcher.hasFailed) continue
      try {
        if (watcher.observation.wantsViews) watcher.observation.viewHead(name, head)
      } catch (error) {
        this.#exclude(watcher, error)
      }
    }
  }

  end(): void {
    for (const watcher of this.#watchers) {
      if (watcher.hasFailed) continue
      try {
        watcher.observation.end()
      } catch (error) {
        this.#exclude(watcher, error)
      }
    }
  }

  #exclude(watcher: Watcher, error: unknown): void {
    watcher.hasFailed = true
    this.#report(watcher.observer, error)
  }
}

function beginAll(observers: readonly Observer[], facts: ExchangeFacts, report: ReportFn): Watcher[] {
  const watchers: Watcher[] = []
  for (const observer of observers) {
    try {
      watchers.push({ observer, observation: observer.begin(facts), hasFailed: false })
    } catch (error) {
      report(observer, error)
    }
  }
  return watchers
}
