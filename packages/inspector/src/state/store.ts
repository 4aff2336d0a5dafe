/** A value that views listen to. */
import { useEffect, useState } from 'preact/hooks'

export interface Store<T> {
  get(): T
  /** Replaces some fields; views hear of it once per frame of the event loop. */
  set(changes: Partial<T>): void
  listen(listener: () => void): () => void
}

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(changes) {
      value = { ...value, ...changes }
      for (const listener of [...listeners]) listener()
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** What `select` takes of the store; the view is drawn again when that is another value. */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const [selected, setSelected] = useState(() => select(store.get()))
  useEffect(() => {
    const look = (): void => setSelected(() => select(store.get()))
    look()
    return store.listen(look)
  }, [store])
  return selected
}
