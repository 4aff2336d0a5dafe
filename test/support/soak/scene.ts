/** The shared state of a simulation: its clock, the state of each exchange, and the violations found. */
import type { History } from '../gateway/history.ts'
import type { Lane } from './clock.ts'
import type { Plan } from './plan.ts'
import { describePlan } from './plan.ts'
import type { Understood } from './reader.ts'

/** One request to an upstream. */
export interface SoakFlow {
  how: 'open' | 'ended' | 'failed' | 'aborted'
}

/** The state of one exchange. */
export interface Course {
  readonly plan: Plan
  /** The earlier answer that the request continues. */
  readonly continues?: Continuation
  readonly flows: SoakFlow[]
  /** The requests that the upstream could read. */
  readonly heard: History[]
  /** The number of planned turns whose answer has begun. */
  begun: number
  attempts: number
  /** A fault occurs before the terminal event of the upstream. */
  isDoomed: boolean
  /** The bytes that the upstream sent in all turns. */
  readonly given: Buffer[]
  isDone: boolean
}

export interface Continuation {
  readonly from: Plan
  readonly understood: Understood
  readonly owner: number
}

export interface Scene {
  /** Timers of everything but the gateway. */
  readonly clock: Lane
  readonly courses: ReadonlyMap<number, Course>
  readonly violations: string[]
  blame(course: Course, what: string): void
}

export function createCourse(plan: Plan, continues?: Continuation): Course {
  return {
    plan,
    ...(continues !== undefined && { continues }),
    flows: [],
    heard: [],
    begun: 0,
    attempts: 0,
    isDoomed: false,
    given: [],
    isDone: false,
  }
}

export function createScene(clock: Lane, courses: ReadonlyMap<number, Course>): Scene {
  const violations: string[] = []
  return {
    clock,
    courses,
    violations,
    blame({ plan }, what) {
      violations.push(`${describePlan(plan)} at ${clock.now()} ms: ${what}`)
    },
  }
}
