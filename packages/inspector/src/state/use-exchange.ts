/** One exchange with its reading; loaded again while it grows. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { previousOf } from '../logic/grouping.ts'
import { type ExchangeDocument, loadExchange } from './api.ts'
import { app } from './app.ts'
import { createLatest, type Latest } from './latest.ts'
import { useStore } from './store.ts'

interface Loaded {
  readonly document: ExchangeDocument | undefined
  readonly problem: string | undefined
}

export function useExchange(id: string): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ document: undefined, problem: undefined })
  // What the feed says of it changes with every piece of its answer.
  const version = useStore(app, ({ summaries }) => {
    const known = summaries.find(summary => summary.id === id)
    return known === undefined ? '' : `${known.state} ${known.answer_bytes ?? 0} ${known.rounds ?? 0}`
  })
  const latest = useRef<Latest>()
  useEffect(() => {
    const mine = createLatest({
      load: () => loadExchange(id),
      show: document => setLoaded({ document, problem: undefined }),
      fail: error =>
        setLoaded(before => ({ ...before, problem: error instanceof Error ? error.message : String(error) })),
    })
    latest.current = mine
    return () => mine.close()
  }, [id])
  useEffect(() => latest.current?.want(), [id, version])
  return loaded
}

/** The exchange before in the same conversation, where there is one. */
export function usePrevious(summary: TraceSummary): ExchangeDocument | undefined {
  const [found, setFound] = useState<ExchangeDocument>()
  const before = useStore(app, ({ summaries }) => previousOf(summary, summaries)?.id)
  useEffect(() => {
    let isWanted = true
    setFound(undefined)
    if (before !== undefined)
      loadExchange(before).then(
        document => isWanted && setFound(document),
        () => {},
      )
    return () => {
      isWanted = false
    }
  }, [before])
  return found
}
