/** A whole answer, and the ways in which it can end. */
import type { Turn } from './conversation.ts'
import type { Residue } from './residue.ts'

export interface Answer {
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly createdAt?: number
  /** What the model said: assistant turns, in order. */
  readonly turns: readonly Turn[]
  readonly finish: Finish
  readonly usage?: Usage
  /** Set when the answer is a failure, or failed on the way. */
  readonly error?: ApiError
  readonly residue?: Residue
}

export type FinishReason =
  | 'stop'
  /** The model wants its calls answered. */
  | 'calls'
  | 'length'
  | 'filter'
  | 'refusal'
  /** The provider stopped in the middle of its own work and wants to be asked again. */
  | 'pause'
  | 'failed'
  | 'cancelled'
  /** Not ended yet: queued, in progress, or cut off. */
  | 'unfinished'

export interface Finish {
  readonly reason: FinishReason
  /** The source wire's own word. */
  readonly raw?: string
  readonly stopSequence?: string
}

export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number
  /** All output tokens, reasoning included. */
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  readonly residue?: Residue
}

export type ErrorKind =
  | 'invalid_request'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limit'
  | 'timeout'
  | 'overloaded'
  | 'server'

export interface ApiError {
  readonly kind: ErrorKind
  readonly message: string
  readonly code?: string
  /** The field of the request that is wrong. */
  readonly param?: string
}
