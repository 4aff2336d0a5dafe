/** The shared state of a simulation: its clock, the state of each exchange, and the violations found. */
import type { History } from '../gateway/history.ts'
import type { TimerGroup } from './clock.ts'
import type { Plan } from './plan.ts'
import { describePlan } from './plan.ts'
import type { ReadAnswer } from './reader.ts'

/** One request to an upstream. */
export interface SoakFlow {
  how: 'open' | 'ended' | 'failed' | 'aborted'
}

/** The state of one exchange. */
export interface SoakExchange {
  readonly plan: Plan
  /** The earlier answer that the request continues. */
  readonly continues?: Continuation
  readonly flows: SoakFlow[]
  /** The requests that the upstream could read. */
  readonly received: History[]
  /** The number of planned turns whose answer has begun. */
  begun: number
  attempts: number
  /** A fault occurs before the terminal event of the upstream. */
  isBroken: boolean
  /** The bytes that the upstream sent in all turns. */
  readonly sent: Buffer[]
  isDone: boolean
}

export interface Continuation {
  readonly from: Plan
  readonly answer: ReadAnswer
  readonly owner: number
}

export interface SimulationState {
  /** Timers of everything but the gateway. */
  readonly clock: TimerGroup
  readonly exchanges: ReadonlyMap<number, SoakExchange>
  readonly violations: string[]
  report(exchange: SoakExchange, what: string): void
}

export function createSoakExchange(plan: Plan, continues?: Continuation): SoakExchange {
  return {
    plan,
    ...(continues !== undefined && { continues }),
    flows: [],
    received: [],
    begun: 0,
    attempts: 0,
    isBroken: false,
    sent: [],
    isDone: false,
  }
}

export function createSimulationState(
  clock: TimerGroup,
  exchanges: ReadonlyMap<number, SoakExchange>,
): SimulationState {
  const violations: string[] = []
  return {
    clock,
    exchanges,
    violations,
    report({ plan }, what) {
      violations.push(`${describePlan(plan)} at ${clock.now()} ms: ${what}`)
    },
  }
}
