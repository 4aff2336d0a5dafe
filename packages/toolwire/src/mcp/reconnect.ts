/** A server that is not there at the start is looked for again, less and less often, until it has been seen once. */

const firstMs = 1_000
const longestMs = 60_000

export interface Seeker {
  /** Looks once; gives whether it was there. */
  connect(): Promise<boolean>
  readonly after: (milliseconds: number, callback: () => void) => () => void
}

/** Gives what ends it. */
export function reconnect({ connect, after }: Seeker): () => void {
  let isOver = false
  let cancel = (): void => {}
  const lookIn = (milliseconds: number): void => {
    cancel = after(milliseconds, () => {
      void connect().then(isThere => {
        if (!isThere && !isOver) lookIn(Math.min(2 * milliseconds, longestMs))
      })
    })
  }
  lookIn(firstMs)
  return () => {
    isOver = true
    cancel()
  }
}
