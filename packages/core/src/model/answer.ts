/** A complete answer of the LLM, and the ways in which it can end. */
import type { Turn } from './conversation.ts'
import type { Path } from './diagnostic.ts'
import type { Residue } from './residue.ts'

/** A whole answer in the neutral model. */
export interface Answer {
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly createdAt?: number
  /** The assistant's turns, in order. */
  readonly turns: readonly Turn[]
  readonly finish: Finish
  readonly usage?: Usage
  /** How it was served, which may differ from what was asked for. */
  readonly serviceTier?: ServedTier
  /** Set when the request failed, or the answer failed while it was generated. */
  readonly error?: ApiError
  readonly residue?: Residue
}

/** Why an answer ended. */
export type FinishReason =
  | 'stop'
  /** The answer ends with calls that need results. */
  | 'calls'
  | 'length'
  | 'filter'
  | 'refusal'
  /** The provider paused its own tool calls; the client must send another request to continue. */
  | 'pause'
  | 'failed'
  | 'cancelled'
  /** The answer has not ended: it is queued, in progress, or was cut off. */
  | 'unfinished'

/** Why an answer ended, in the neutral model and in the upstream's own word. */
export interface Finish {
  readonly reason: FinishReason
  /** The source wire's value. */
  readonly raw?: string
  readonly stopSequence?: string
}

/** The service tier of an answer, by the words of OpenAI's wires, and where the answer names it. */
export interface ServedTier {
  readonly value: string
  readonly path: Path
}

/** How many tokens an answer took. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number
  /** All output tokens, reasoning included. */
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  /** Spent on a compaction before the answer, and not in the other counts. */
  readonly compaction?: Omit<Usage, 'residue' | 'compaction'>
  readonly residue?: Residue
}

/** What kind of failure it is; each wire has its own words for these. */
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

/** A refusal or failure in the neutral model, which every wire can encode. */
export interface ApiError {
  readonly kind: ErrorKind
  readonly message: string
  readonly code?: string
  /** The invalid field of the request. */
  readonly param?: string
  /** What the request asks for and cannot have, by name. */
  readonly unsupported?: readonly string[]
}
