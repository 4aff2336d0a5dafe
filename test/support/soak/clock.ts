/** The clock of a simulation: timers wait in a heap, and time jumps from one to the next. */
import type { Clock } from '../../../packages/toolwire/src/platform/clock.ts'
import { startOfTime } from '../faults/clock.ts'

/** The timers of one part of the simulation, counted separately. */
export interface TimerGroup extends Clock {
  readonly waiting: number
}

export interface SimulationClock {
  group(): TimerGroup
  now(): number
  /** Runs every timer that is due until then, in order, and calls back after each. */
  runUntil(end: number, onTurn?: () => void): Promise<void>
}

interface Timer {
  readonly due: number
  readonly order: number
  callback: (() => void) | undefined
}

const isBefore = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order)

export function createSimulationClock(): SimulationClock {
  const heap: Timer[] = []
  let time = 0
  let orders = 0

  const group = (): TimerGroup => {
    let waiting = 0
    return {
      now: () => time,
      date: () => startOfTime + Math.floor(time),
      after(milliseconds, callback) {
        const timer: Timer = {
          due: time + Math.max(0, milliseconds),
          order: orders++,
          callback() {
            waiting--
            callback()
          },
        }
        waiting++
        push(heap, timer)
        return () => {
          if (timer.callback !== undefined) waiting--
          timer.callback = undefined
        }
      },
      get waiting() {
        return waiting
      },
    }
  }

  return {
    group: group,
    now: () => time,
    async runUntil(end, onTurn) {
      await nextTask()
      for (let timer = heap[0]; timer !== undefined && timer.due <= end; timer = heap[0]) {
        pop(heap)
        const { callback } = timer
        if (callback === undefined) continue
        timer.callback = undefined
        time = timer.due
        callback()
        await nextTask()
        onTurn?.()
      }
      time = Math.max(time, end)
    },
  }
}

/** Resolves after all pending promise callbacks. */
function nextTask(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function push(heap: Timer[], timer: Timer): void {
  let at = heap.length
  heap.push(timer)
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(timer, parent)) break
    heap[at] = parent
    at = above
  }
  heap[at] = timer
}

function pop(heap: Timer[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    const left = heap[2 * at + 1]
    const right = heap[2 * at + 2]
    if (left === undefined) break
    const isRight = right !== undefined && isBefore(right, left)
    const child = isRight ? right : left
    if (!isBefore(child, last)) break
    heap[at] = child
    at = 2 * at + (isRight ? 2 : 1)
  }
  heap[at] = last
}
