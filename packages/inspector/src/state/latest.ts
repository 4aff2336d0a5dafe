/** Loads something that keeps changing: one load at a time, each of which is shown, and the last of which is the newest. */

export interface Latest {
  /** There is something newer to load. */
  want(): void
  close(): void
}

export function createLatest<T>({
  load,
  show,
  fail,
}: {
  load(): Promise<T>
  show(value: T): void
  fail(error: unknown): void
}): Latest {
  let isLoading = false
  let isWanted = false
  let isClosed = false
  const run = async (): Promise<void> => {
    isLoading = true
    while (isWanted && !isClosed) {
      isWanted = false
      try {
        const value = await load()
        if (!isClosed) show(value)
      } catch (error) {
        if (!isClosed) fail(error)
      }
    }
    isLoading = false
  }
  return {
    want() {
      isWanted = true
      if (!isLoading) void run()
    },
    close() {
      isClosed = true
    },
  }
}
