/** The list of exchanges as it is shown: loaded whole, then changed by what the feed tells, unless somebody has paused it. */
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { mergeSummaries } from '../logic/grouping.ts'

type Summaries = readonly TraceSummary[]

interface LiveListOptions {
  readonly most: number
  load(): Promise<Summaries>
  /** `waiting`: what came while the list was paused. */
  show(summaries: Summaries, waiting: Summaries): void
}

export interface LiveList {
  /** Whoever calls it listens to the feed already, so that nothing is missed in between. */
  reload(): Promise<void>
  add(news: Summaries): void
  /** Adds what is in no list of the gateway, and stays. */
  keep(own: Summaries): void
  setPaused(isPaused: boolean): void
}

export function createLiveList({ most, load, show }: LiveListOptions): LiveList {
  let summaries: Summaries = []
  let waiting: Summaries = []
  let kept: Summaries = []
  let isPaused = false
  /** What was told while a list was on its way: the list may be older. */
  let meanwhile: TraceSummary[] | undefined
  let loads = 0
  const add = (news: Summaries): void => {
    meanwhile?.push(...news)
    if (isPaused) waiting = mergeSummaries(waiting, news, most)
    else summaries = mergeSummaries(summaries, news, most)
    show(summaries, waiting)
  }
  return {
    add,
    async reload() {
      const mine = ++loads
      const told: TraceSummary[] = []
      meanwhile = told
      const list = await load()
      if (mine !== loads) return
      meanwhile = undefined
      const whole = mergeSummaries(mergeSummaries(list, told, most), kept, most)
      if (isPaused) waiting = whole
      else summaries = whole
      show(summaries, waiting)
    },
    keep(own) {
      kept = own
      add(own)
    },
    setPaused(next) {
      isPaused = next
      const news = waiting
      waiting = []
      add(next ? [] : news)
    },
  }
}
