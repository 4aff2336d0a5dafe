import type { ExchangeFacts, Observer } from '../gateway/observation.ts'

/** For those who want to know how an exchange ended, and need no views. Each end is told once. */
export function watchEnds(begin: (facts: ExchangeFacts) => () => void): Observer {
  return {
    begin(facts) {
      const end = begin(facts)
      let ended = false
      return {
        facts,
        wantsViews: false,
        view: () => {},
        viewHead: () => {},
        end() {
          if (ended) return
          ended = true
          end()
        },
      }
    },
  }
}
