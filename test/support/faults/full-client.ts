/** Clients that read nothing: what the system takes is written over several turns of the event loop, the rest waits. */
import { setImmediate as nextTask } from 'node:timers/promises'
import type { PendingRequest } from './upstream.ts'

/** Whether something stays as it is for some turns. */
export async function holds(isSo: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 20; turn++) {
    if (!isSo()) return false
    await nextTask()
  }
  return true
}

/** Gives the client more and more until the gateway asks to wait, and goes on asking. Says how many bytes that took. */
export async function fill(asked: PendingRequest, piece: string, most: number): Promise<number> {
  let given = 0
  while (given < most && !(await holds(() => asked.isPaused))) {
    if (asked.isPaused) continue
    asked.data(piece)
    given += piece.length
    await nextTask()
  }
  return given
}
