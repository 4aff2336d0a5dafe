/** Several who watch, as one. None of them can harm the exchange or the others. */
import type { ExchangeFacts, Observation, Observer } from '../gateway/observation.ts'

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
    begin(facts) {
      const watching = beginAll(observers, facts, complain)
      const each = (tell: (observation: Observation) => void): void => {
        for (const [observer, observation] of watching) {
          try {
            tell(observation)
          } catch (error) {
            watching.delete(observer)
            complain(observer, error)
          }
        }
      }
      const eachViewer = (tell: (observation: Observation) => void): void =>
        each(observation => {
          if (observation.wantsViews) tell(observation)
        })
      return {
        facts,
        get wantsViews() {
          for (const observation of watching.values()) if (observation.wantsViews) return true
          return false
        },
        view: (name, chunk) => eachViewer(observation => observation.view(name, chunk)),
        viewHead: (name, head) => eachViewer(observation => observation.viewHead(name, head)),
        end: () => each(observation => observation.end()),
      }
    },
  }
}

function beginAll(
  observers: readonly Observer[],
  facts: ExchangeFacts,
  complain: (observer: Observer, error: unknown) => void,
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
