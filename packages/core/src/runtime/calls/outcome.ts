/**
 * How a call ended. Every call that a model makes gets exactly one of these, in the order of the calls,
 * whatever its handler does.
 */
import type { FilePart, ImagePart, TextPart } from '../../model/conversation.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'

/** A call to run, as the program that owns the tools knows it: names and arguments are restored. */
export interface ToolCall {
  /** Pairs the call with its result. */
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
  /** The answer was cut off and this call may be incomplete, even where its text happens to parse. Never run. */
  readonly truncated?: boolean
}

export type CallStatus =
  | 'ok'
  /** The handler failed, or the call could not be run as the model wrote it. The model is told why. */
  | 'failed'
  /** Whoever approves did not. */
  | 'denied'
  | 'timed_out'
  /** Aborted while it ran. */
  | 'cancelled'
  /** Its turn never came: the batch was aborted, ran out of time, or a fatal error stopped it. */
  | 'not_started'

export type OutcomeCode =
  | 'unknown_tool'
  | 'no_handler'
  | 'truncated_call'
  | 'invalid_json'
  | 'invalid_arguments'
  | 'invalid_result'
  | 'execution_error'
  | 'fatal_error'
  | 'denied'
  | 'timeout'
  | 'batch_timeout'
  | 'cancelled'
  | 'not_started'

export type ContentPart = TextPart | ImagePart | FilePart

export interface CallOutcome {
  readonly call: ToolCall
  readonly status: CallStatus
  /** What the model is told. Never empty. */
  readonly content: readonly ContentPart[]
  /** Whether the content speaks of a failure. */
  readonly isError: boolean
  /** What the handler returned, or its validated form where `outputSchema` is a Standard Schema. Only when `ok`. */
  readonly value?: unknown
  readonly error?: {
    /** Ours, or the code on the thrown error where it is a text. */
    readonly code: OutcomeCode | (string & {})
    readonly message: string
    /** What was thrown, for the program and never for the model. */
    readonly cause?: unknown
  }
  /** The handler threw a `FatalToolError`: the conversation must stop. */
  readonly fatal: boolean
  /** How often the handler was started. */
  readonly attempts: number
  /** From the start of the handler to its end, by the host's clock; 0 when it never started. */
  readonly durationMs: number
  /** The arguments were mended before they could be parsed. */
  readonly repaired: boolean
  /** The content was cut to the size limit. */
  readonly cut: boolean
  readonly tool?: ToolSpec
}
