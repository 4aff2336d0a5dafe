/** What a `ToolManager` is given and gives back. */
import type { ToolOptions } from '../convert/shared/options.ts'
import type { CallOutcome } from '../runtime/calls/outcome.ts'
import type { RunCallsOptions } from '../runtime/calls/run-options.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
import type { DiagnosticOptions, ToolFormatOptions } from './types.ts'

/** How results are sent: as Responses takes them, or as blocks in a user's message, which Messages takes. */
export type ResultForm = 'function_call_output' | 'tool_result'

/** How calls are run; the tools are the manager's. */
export type RunOptions = Omit<RunCallsOptions, 'tools'>

export interface ToolManagerOptions<Form extends ResultForm = ResultForm>
  extends RunOptions,
    DiagnosticOptions,
    Pick<ToolFormatOptions, 'misplacedStrict' | 'onInvalid' | 'requireDescription'> {
  /** A `ToolRegistry` or a list of tools: what `handleParallelTools` can run. */
  readonly tools?: Iterable<ToolSpec>
  readonly results?: Form
  /**
   * `true` is `'strictify'`: schemas are rewritten into the strict subset where that is exact, and the
   * arguments of calls are turned back. `false` is `'preserve'`, the default: schemas stay as they are.
   */
  readonly strict?: boolean | NonNullable<ToolOptions['strict']>
  /** How many calls a conversation remembers; of more, those used longest ago are forgotten. 1000 unless stated. */
  readonly maxTracked?: number
  /** The same for conversations. 1000 unless stated. */
  readonly maxConversations?: number
}

/** A function call as Chat writes it. */
export interface ChatFunctionCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** A custom tool's call as Chat writes it. */
export interface ChatCustomCall {
  id: string
  type: 'custom'
  custom: { name: string; input: string }
  function?: never
}

/** What the model said and called, as one message of Chat. */
export interface AssistantMessage {
  role: 'assistant'
  content: string | null
  tool_calls?: (ChatFunctionCall | ChatCustomCall)[]
  refusal?: string
  /** What the provider shows of the model's reasoning. */
  reasoning_content?: string
  annotations?: unknown[]
}

/** A result as Chat writes it. */
export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string | unknown[]
}

export interface FunctionCallOutput {
  type: 'function_call_output' | 'custom_tool_call_output'
  call_id: string
  output: string | unknown[]
}

export interface ToolResultMessage {
  role: 'user'
  content: { type: 'tool_result'; tool_use_id: string; content?: string | unknown[]; is_error?: boolean }[]
}

export type ResultItem<Form extends ResultForm> = {
  function_call_output: FunctionCallOutput
  tool_result: ToolResultMessage
}[Form]

/** How one call went, under the id that pairs it with its result. */
export interface ToolCallResult {
  readonly id: string
  /** What the handler returned. Only of a call that succeeded. */
  readonly result?: unknown
  /** Why the call has no result. Only of a call that did not succeed. */
  readonly error?: string
  /** What the model is told, ready for `transformToolResults`. */
  readonly message: ToolMessage
  readonly outcome: CallOutcome
}

export interface FailedToolCall {
  readonly tool_call_id: string
  readonly message: string
  readonly code?: string
}
