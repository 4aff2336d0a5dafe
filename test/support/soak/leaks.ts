/** Measures what is left after a run: memory after a full collection, sockets, timers, listeners. */
import { getEventListeners } from 'node:events'
import type { Server } from 'node:http'
import { setImmediate as nextTask } from 'node:timers/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/** Bytes in use on the heap of this thread. */
export async function heapInUse(): Promise<number> {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  // Finalizers of collected objects may release more.
  for (let round = 0; round < 3; round++) {
    collect()
    await nextTask()
  }
  return getHeapStatistics().used_heap_size
}

export function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

/** The number of resources of each kind that keep this thread alive. */
export function resources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** The kinds of which there are more than before. */
export function moreThan(before: ReadonlyMap<string, number>): string[] {
  return [...resources()].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0)
    return more > 0 ? [`${more} ${kind}`] : []
  })
}

/** Runs the event loop until the condition holds, or for a limited number of turns; the caller checks the condition. */
export async function turnsUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 20_000; turn++) {
    if (await isTrue()) return
    await nextTask()
  }
}

/** Records every signal created until `stop`, which returns the number of listeners on signals that never aborted. */
export function watchSignals(): { stop(): number } {
  const Original = globalThis.AbortController
  const signals: AbortSignal[] = []
  globalThis.AbortController = class extends Original {
    constructor() {
      super()
      signals.push(this.signal)
    }
  }
  return {
    stop() {
      globalThis.AbortController = Original
      return signals
        .filter(({ aborted }) => !aborted)
        .reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0)
    },
  }
}
