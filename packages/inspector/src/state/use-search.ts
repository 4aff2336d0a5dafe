/** A search that goes on between frames. Whoever types on gets the newest search; what was begun before is left. */
import { useEffect, useState } from 'preact/hooks'
import type { Path } from '../logic/json-tree.ts'
import { searchTree } from '../logic/tree-search.ts'

export interface Searched {
  readonly found: readonly Path[]
  /** How many of them are there by now: the list itself grows. */
  readonly count: number
  readonly isDone: boolean
}

const none: Searched = { found: [], count: 0, isDone: true }
const begun: Searched = { ...none, isDone: false }

export function useSearch(value: unknown, text: string): Searched {
  const [{ of, searched }, setSearched] = useState({ of: '', searched: none })
  useEffect(() => {
    if (text === '') return setSearched({ of: text, searched: none })
    const search = searchTree(value, text)
    let timer: ReturnType<typeof setTimeout> | undefined
    const go = (): void => {
      search.step()
      const { found, isDone } = search
      setSearched({ of: text, searched: { found, count: found.length, isDone } })
      // A turn of the event loop in between lets keys and frames through.
      if (!isDone) timer = setTimeout(go)
    }
    go()
    return () => clearTimeout(timer)
  }, [value, text])
  // What is known is of the text before, until the search for this one has begun.
  return of === text ? searched : begun
}
