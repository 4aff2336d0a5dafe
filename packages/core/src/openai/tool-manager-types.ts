/** The options, arguments and return values of a `ToolManager`. */
import type { ToolOptions } from '../convert/shared/options.ts'
import type { CallOutcome } from '../runtime/calls/outcome.ts'
import type { RunCallsOptions } from '../runtime/calls/run-options.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
import type { DiagnosticOptions, ToolFormatOptions } from './types.ts'

/** The form of results: items of Responses, or blocks in a user message as on Messages. */
export type ResultForm = 'function_call_output' | 'tool_result'

/** Options for running calls; the tools are the manager's. */
export type RunOptions = Omit<RunCallsOptions, 'tools'>

/** Tools and forms of a `ToolManager`. */
export interface ToolManagerOptions<Form extends ResultForm = ResultForm>
  extends RunOptions,
    DiagnosticOptions,
    Pick<ToolFormatOptions, 'misplacedStrict' | 'onInvalid' | 'requireDescription'> {
  /** A `ToolRegistry` or a list of tools that `handleParallelTools` can run. */
  readonly tools?: Iterable<ToolSpec>
  readonly results?: Form
  /**
   * `true` means `'strictify'`: schemas are rewritten into the strict subset if that can be done exactly, and the
   * arguments of calls are restored. `false` means `'preserve'`, the default: schemas stay unchanged.
   */
  readonly strict?: boolean | NonNullable<ToolOptions['strict']>
  /** How many calls a conversation tracks; the least recently used ones are evicted. Default: 1000. */
  readonly maxTracked?: number
  /** How many conversations are tracked. Default: 1000. */
  readonly maxConversations?: number
}

/** A function call on Chat. */
export interface ChatFunctionCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** A call of a custom tool on Chat. */
export interface ChatCustomCall {
  id: string
  type: 'custom'
  custom: { name: string; input: string }
  function?: never
}

/** The model's text and calls as one message of Chat. */
export interface AssistantMessage {
  role: 'assistant'
  content: string | null
  tool_calls?: (ChatFunctionCall | ChatCustomCall)[]
  refusal?: string
  /** The readable part of the model's reasoning. */
  reasoning_content?: string
  annotations?: unknown[]
}

/** A result on Chat. */
export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string | unknown[]
}

/** The result of a call as an item of Responses. */
export interface FunctionCallOutput {
  type: 'function_call_output' | 'custom_tool_call_output'
  call_id: string
  output: string | unknown[]
}

/** The result of a call as a message of Messages. */
export interface ToolResultMessage {
  role: 'user'
  content: { type: 'tool_result'; tool_use_id: string; content?: string | unknown[]; is_error?: boolean }[]
}

/** A result in the form that a `ToolManager` was made for. */
export type ResultItem<Form extends ResultForm> = {
  function_call_output: FunctionCallOutput
  tool_result: ToolResultMessage
}[Form]

/** The outcome of one call, with the id that pairs call and result. */
export interface ToolCallResult {
  readonly id: string
  /** What the handler returned. Set only if the call succeeded. */
  readonly result?: unknown
  /** Why the call failed. Set only if it did not succeed. */
  readonly error?: string
  /** The result message for the model, ready for `transformToolResults`. */
  readonly message: ToolMessage
  readonly outcome: CallOutcome
}

/** A call that failed, as a `ToolManager` lists it. */
export interface FailedToolCall {
  readonly tool_call_id: string
  readonly message: string
  readonly code?: string
}
