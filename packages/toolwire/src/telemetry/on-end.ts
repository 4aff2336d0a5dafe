import type { ExchangeFacts, Observation, Observer } from './observer.ts'

/** For those who want to know how an exchange ended, and need no views. Each end is told once. */
export function onEnd(begin: (facts: ExchangeFacts) => () => void): Observer {
  return { begin: facts => new EndObservation(facts, begin(facts)) }
}

class EndObservation implements Observation {
  readonly facts: ExchangeFacts
  readonly wantsViews = false
  #end: (() => void) | undefined

  constructor(facts: ExchangeFacts, end: () => void) {
    this.facts = facts
    this.#end = end
  }

  view(): void {}

  viewHead(): void {}

  end(): void {
    const end = this.#end
    this.#end = undefined
    end?.()
  }
}
