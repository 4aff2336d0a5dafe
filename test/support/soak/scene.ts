/** The state that the parts of a simulation share: the plans, the course of each exchange, and the violations found. */
import type { History } from '../gateway/history.ts'
import type { Lane } from './clock.ts'
import type { Plan } from './plan.ts'
import { describePlan } from './plan.ts'
import type { Understood } from './reader.ts'

/** One request on its way to an upstream. */
export interface SoakFlow {
  how: 'open' | 'ended' | 'failed' | 'aborted'
}

/** One exchange as it goes. */
export interface Course {
  readonly plan: Plan
  /** What the client sends besides its first words. */
  readonly continues?: Continuation
  readonly flows: SoakFlow[]
  /** The requests that the upstream understood. */
  readonly heard: History[]
  /** Turns of the plan whose answer has begun. */
  begun: number
  attempts: number
  /** A fault comes before the upstream has said how its answer ends. */
  isDoomed: boolean
  /** The bytes the upstream gave, of all turns. */
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
