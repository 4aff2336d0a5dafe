/** Who runs beside whom: calls in the order they were made, those that must run alone by themselves. */

export interface Slots {
  /** Resolves when there is room; first come, first served. */
  acquire(): Promise<void>
  release(): void
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let next = 0
  let free = count
  return {
    acquire() {
      if (free > 0) {
        free--
        return Promise.resolve()
      }
      return new Promise(resolve => void waiting.push(resolve))
    },
    release() {
      const first = waiting[next]
      if (first === undefined) {
        free++
      } else {
        next++
        first()
      }
    },
  }
}

/** A place in a row: whoever has it waits for those before, and lets the next one on. */
export interface Ticket {
  readonly ready: Promise<void>
  release(): void
}

export function createQueue(): () => Ticket {
  let last: Promise<void> = Promise.resolve()
  return () => {
    const come = last
    let pass = (): void => {}
    last = new Promise<void>(resolve => {
      // Passing on before one's own turn has come must not let the next one overtake.
      pass = () => resolve(come)
    })
    return { ready: come, release: () => pass() }
  }
}

/** Runs of jobs that may run beside each other, and between them the jobs that may not, each alone. */
export function groupJobs<Job>(jobs: readonly Job[], runsAlone: (job: Job) => boolean): Job[][] {
  const groups: Job[][] = []
  let together: Job[] | undefined
  for (const job of jobs) {
    if (runsAlone(job)) {
      groups.push([job])
      together = undefined
    } else if (together === undefined) {
      together = [job]
      groups.push(together)
    } else together.push(job)
  }
  return groups
}
