/** One exchange with its reading; loaded again while it grows. */
import { useEffect, useState } from 'preact/hooks'
import { type ExchangeDocument, loadExchange } from './api.ts'
import { app } from './app.ts'
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
  useEffect(() => {
    let isWanted = true
    loadExchange(id).then(
      document => isWanted && setLoaded({ document, problem: undefined }),
      (error: unknown) =>
        isWanted &&
        setLoaded(before => ({ ...before, problem: error instanceof Error ? error.message : String(error) })),
    )
    return () => {
      isWanted = false
    }
  }, [id, version])
  return loaded
}
