/** Options, events and results of a conversation, and the session interface that connects the loop to a wire. */
import type { Answer, Finish, Usage } from '../../model/answer.ts'
import type { CallPart, HostedPart, ResultPart } from '../../model/conversation.ts'
import type { CallOutcome } from '../calls/outcome.ts'
import type { CallEvent, RunCallsOptions } from '../calls/run-options.ts'
import type { Host, Signal, SignalLike } from '../host.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { AskOptions, Reply } from './model-port.ts'

/** Why a conversation ended. */
export type StopReason =
  /** The model answered without further calls. */
  | 'answer'
  /** There are calls whose results the caller must provide. */
  | 'pending'
  | 'max_rounds'
  | 'max_tokens'
  | 'timeout'
  | 'aborted'
  /** A tool threw a `FatalToolError`. */
  | 'fatal'
  | 'refusal'
  /** The answer was cut off at its length limit; for a truncated call, twice in a row. */
  | 'length'
  /** The provider's filter cut the answer off. */
  | 'filter'
  /** The request could not be sent, the server answered with an error, or the answer failed midway. */
  | 'failed'

/** A call that the caller must answer: of a tool without a handler, or of one that its own request declares. */
export interface PendingCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The arguments, a custom tool's free text, or the JSON of a hosted tool's item. */
  readonly arguments: string
  /** `hosted`: an item that only this wire has, to be answered by an item in `input`. */
  readonly form: 'function' | 'custom' | 'hosted'
}

/** What happens during a conversation, in its order. */
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
  /** The server no longer has the previous answer, so the full history is sent from now on. */
  | { readonly type: 'fallback'; readonly message: string }
  | { readonly type: 'finished'; readonly reason: StopReason }

/** Options for running calls, without those that the loop sets itself. */
type CallOptions = Omit<RunCallsOptions, 'tools' | 'signal' | 'timeoutMs' | 'undo' | 'onEvent'>

export interface LoopOptions extends CallOptions {
  /** Ends the conversation and cancels running calls. */
  readonly signal?: Signal | SignalLike
  /** The maximum number of requests in this run. Default: 20. */
  readonly maxRounds?: number
  /** No further request is sent once this run has used so many tokens, input and output together. */
  readonly maxTokens?: number
  /** How long this run may take, including tools. */
  readonly timeoutMs?: number
  /** How long a call of a tool without `timeoutMs` may take. */
  readonly callTimeoutMs?: number
  /** Called for every event as it happens. What it throws is ignored. */
  readonly onEvent?: (event: ConversationEvent) => void
}

/** The history of a conversation in the format of its wire. The loop sees only answers, calls and results. */
export interface Session {
  readonly tools: readonly ToolSpec[]
  /** Sends the history to the model. Does not change the history. */
  request(options: AskOptions & { onFallback(message: string): void }): Promise<Reply>
  /** Appends an answer to the history. */
  addAnswer(answer: Answer): void
  /** Appends results to the history, in the order of the calls of the last answer. */
  addResults(results: readonly ResultPart[]): void
  /** Undoes the adaptations of a call: the name and arguments as the tool's owner defined them. */
  restore(call: CallPart): RestoredCall
  /** Whether the caller's request itself declares a tool of this name. */
  declares(name: string): boolean
  /** Calls of hosted tools that the caller must answer. */
  pendingItems(answer: Answer): readonly HostedPart[]
}

export interface RestoredCall {
  readonly form: 'function' | 'custom'
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
}

/** The state of a conversation between two runs, apart from its history. */
export interface Progress {
  readonly rounds: number
  readonly usage: Usage
  /** A call of the last round was truncated, and the model got an error for it. */
  readonly truncated: boolean
}

export interface LoopResult extends Progress {
  readonly reason: StopReason
  /** The text of the last answer; after a failure, as far as it arrived. */
  readonly text: string
  /** The words of the last answer's refusal, if it refused. */
  readonly refusal?: string
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
