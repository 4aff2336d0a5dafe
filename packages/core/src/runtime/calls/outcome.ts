/**
 * How a call ended. Every call that a model makes gets exactly one of these, in the order of the calls,
 * whatever its handler does.
 */
import type { FilePart, ImagePart, TextPart } from '../../model/conversation.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'

/** A call to run, with the names and arguments that the tool's owner defined (adaptations are undone). */
export interface ToolCall {
  /** Pairs the call with its result. */
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
  /** The answer was cut off, so this call may be incomplete even if its arguments parse. It is never run. */
  readonly truncated?: boolean
}

/** The kinds of ends that a tool call can have. */
export type CallStatus =
  | 'ok'
  /** The handler failed, or the call could not be run as the model wrote it. The content says why. */
  | 'failed'
  /** `approve` refused the call. */
  | 'denied'
  | 'timed_out'
  /** Aborted while it ran. */
  | 'cancelled'
  /** The batch was aborted, timed out, or was stopped by a fatal error before the call started. */
  | 'not_started'

/** Why a call did not end well. */
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

/** What the result of a tool can consist of. */
export type ContentPart = TextPart | ImagePart | FilePart

/** How a tool call ended. Every call gets exactly one. */
export interface CallOutcome {
  readonly call: ToolCall
  readonly status: CallStatus
  /** What is sent to the model. Never empty. */
  readonly content: readonly ContentPart[]
  /** Whether the content describes a failure. */
  readonly isError: boolean
  /** What the handler returned, or its validated form where `outputSchema` is a Standard Schema. Only when `ok`. */
  readonly value?: unknown
  readonly error?: {
    /** One of ours, or the `code` of the thrown error if it is a string. */
    readonly code: OutcomeCode | (string & {})
    readonly message: string
    /** The thrown value, for the program. Never sent to the model. */
    readonly cause?: unknown
  }
  /** The handler threw a `FatalToolError`: the conversation must stop. */
  readonly fatal: boolean
  /** How many times the handler was started. */
  readonly attempts: number
  /** From the start of the handler to its end, by the host's clock; 0 if it never started. */
  readonly durationMs: number
  /** The arguments had to be repaired before they could be parsed. */
  readonly repaired: boolean
  /** The content was shortened to the size limit. */
  readonly cut: boolean
  readonly tool?: ToolSpec
}
