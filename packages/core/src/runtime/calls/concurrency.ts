/** Limits how many calls run at once, and orders calls that must wait for each other or run alone. */

export interface Slots {
  /** Resolves when a slot is free, in the order of the calls. */
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

/** A position in a queue. */
export interface Ticket {
  /** Resolves when all earlier tickets have been released. */
  readonly ready: Promise<void>
  release(): void
}

/** Returns a function that takes the next ticket. */
export function createQueue(): () => Ticket {
  let last: Promise<void> = Promise.resolve()
  return () => {
    const ready = last
    let release = (): void => {}
    last = new Promise<void>(resolve => {
      // A ticket released early must not let the next one overtake, so the next still waits for `ready`.
      release = () => resolve(ready)
    })
    return { ready, release: () => release() }
  }
}

/** Splits the jobs, in order, into groups that may run concurrently; a job that runs alone is a group by itself. */
export function groupJobs<Job>(jobs: readonly Job[], runsAlone: (job: Job) => boolean): Job[][] {
  const groups: Job[][] = []
  let current: Job[] | undefined
  for (const job of jobs) {
    if (runsAlone(job)) {
      groups.push([job])
      current = undefined
    } else if (current === undefined) {
      current = [job]
      groups.push(current)
    } else current.push(job)
  }
  return groups
}
