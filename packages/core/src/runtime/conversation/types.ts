/** What a conversation is told and what it tells: options, events, and how it can stop. */
import type { Answer, Finish, Usage } from '../../model/answer.ts'
import type { CallPart, HostedPart, ResultPart } from '../../model/conversation.ts'
import type { CallOutcome } from '../calls/outcome.ts'
import type { CallEvent, RunCallsOptions } from '../calls/run-options.ts'
import type { Host, Signal, SignalLike } from '../host.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { AskOptions, Reply } from './model-port.ts'

export type StopReason =
  /** The model has said what it had to say. */
  | 'answer'
  /** Calls wait for results that the caller must bring. */
  | 'pending'
  | 'max_rounds'
  | 'max_tokens'
  | 'timeout'
  | 'aborted'
  /** A tool threw a `FatalToolError`. */
  | 'fatal'
  | 'refusal'
  /** The answer was cut off at its length limit, and telling the model did not help. */
  | 'length'
  /** The provider's filter cut the answer off. */
  | 'filter'
  /** Nothing could be sent, the server answered with an error, or the answer failed on the way. */
  | 'failed'

/** A call that the caller must answer: to a tool of its own, or one without a handler. */
export interface PendingCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The arguments, a custom tool's free text, or the JSON of a hosted tool's item. */
  readonly arguments: string
  /** `hosted`: an item that only its wire can say, to be answered by one in `input`. */
  readonly form: 'function' | 'custom' | 'hosted'
}

export type ConversationEvent =
  | { readonly type: 'round-started'; readonly round: number }
  | { readonly type: 'text-delta'; readonly round: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly round: number; readonly text: string }
  | {
      readonly type: 'call-delta'
      readonly round: number
      readonly name: string
      readonly callId?: string
      /** More of the arguments. */
      readonly text: string
    }
  | CallEvent
  | {
      readonly type: 'round-finished'
      readonly round: number
      readonly finish: Finish
      readonly usage?: Usage
      readonly outcomes: readonly CallOutcome[]
    }
  /** The server did not know the earlier answer; the whole history was sent instead, and will be from now on. */
  | { readonly type: 'fallback'; readonly message: string }
  | { readonly type: 'finished'; readonly reason: StopReason }

/** What running the calls can be told, except what the loop itself decides. */
type CallOptions = Omit<RunCallsOptions, 'tools' | 'signal' | 'timeoutMs' | 'undo' | 'onEvent'>

export interface LoopOptions extends CallOptions {
  /** Ends the conversation; whatever runs is cancelled. */
  readonly signal?: Signal | SignalLike
  /** How often the model is asked in this run, at most. 20 unless stated. */
  readonly maxRounds?: number
  /** The model is not asked again once the tokens of this run, in and out, reach this number. */
  readonly maxTokens?: number
  /** How long this run may take, tools included. */
  readonly timeoutMs?: number
  /** How long a call may take whose tool states no limit of its own. */
  readonly callTimeoutMs?: number
  /** Hears what happens while it happens. What it throws is ignored. */
  readonly onEvent?: (event: ConversationEvent) => void
}

/** A conversation as its wire keeps it. The loop knows it by answers, calls and results only. */
export interface Session {
  readonly tools: readonly ToolSpec[]
  /** Asks the model to go on from here. Does not change the history. */
  request(options: AskOptions & { onFallback(message: string): void }): Promise<Reply>
  /** Takes an answer into the history. */
  addAnswer(answer: Answer): void
  /** Puts results behind the last answer, in the order of its calls. */
  addResults(results: readonly ResultPart[]): void
  /** A call as whoever owns the tool knows it. */
  restore(call: CallPart): RestoredCall
  /** Whether the caller's own request declares a tool of this name. */
  declares(name: string): boolean
  /** Calls of hosted tools that the caller must answer. */
  awaited(answer: Answer): readonly HostedPart[]
}

export interface RestoredCall {
  readonly form: 'function' | 'custom'
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
}

/** Where a conversation stands between two runs, apart from its history. */
export interface Progress {
  readonly rounds: number
  readonly usage: Usage
  /** The last round's calls were cut off, and the model has been told. */
  readonly truncated: boolean
}

export interface LoopResult extends Progress {
  readonly reason: StopReason
  /** What the last answer said; after a failure, as far as it got. */
  readonly text: string
  readonly pending: readonly PendingCall[]
  /** How the calls of each round of this run ended. */
  readonly outcomes: readonly (readonly CallOutcome[])[]
  readonly replies: readonly Reply[]
  readonly error?: Error
}

export interface Loop {
  readonly host: Host
  readonly session: Session
  readonly options: LoopOptions
  readonly before: Progress
}
