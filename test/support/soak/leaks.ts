/** Measures what is left after a run: memory after a full collection, sockets, timers. */
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
  // What was freed may set free more, once its finalizers have run.
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

/** How many of each kind keep this thread alive. */
export function resources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Those of which there are more than before. */
export function moreThan(before: ReadonlyMap<string, number>): string[] {
  return [...resources()].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0)
    return more > 0 ? [`${more} ${kind}`] : []
  })
}

/** Lets the platform do what it has to do, as often as it may take; whoever asks then looks whether it came true. */
export async function turnsUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 20_000; turn++) {
    if (await isTrue()) return
    await nextTask()
  }
}
