/** The state of one exchange of a simulation, as its client and its upstream see it. */
import type { History } from '../support/gateway/history.ts'
import type { Plan } from '../support/soak/plan.ts'
import type { ReadAnswer } from '../support/soak/reader.ts'

/** One request to an upstream. */
export interface FlowState {
  how: 'open' | 'ended' | 'failed' | 'aborted'
}

export interface ExchangeState {
  readonly plan: Plan
  /** The earlier answer that the request continues. */
  readonly continues: Continuation | undefined
  readonly flows: FlowState[]
  /** The requests that the upstream could read. */
  readonly received: History[]
  /** The number of planned turns whose answer has begun. */
  begun: number
  attempts: number
  /** A fault occurs before the terminal event of the upstream. */
  isBroken: boolean
  /** The bytes that the upstream sent in all turns. */
  readonly sent: Uint8Array[]
}

export interface Continuation {
  readonly from: ExchangeState
  readonly answer: ReadAnswer
}

export function createExchangeState(plan: Plan, continues?: Continuation): ExchangeState {
  return { plan, continues, flows: [], received: [], begun: 0, attempts: 0, isBroken: false, sent: [] }
}
