/** A defined tool: what the model sees of it, how its calls are scheduled, and the handler that runs them. */

import type { Signal, SignalLike } from '../host.ts'
import type { JsonSchema } from './json-schema.ts'
import type { StandardResult } from './standard-schema.ts'

/**
 * Marks objects made by `defineTool`. A registered symbol, so that tools of another copy of this library are
 * recognised, and enumerable, so that `{ ...tool, name }` is still a tool.
 */
export const toolMark: unique symbol = Symbol.for('toolwire.tool')

/** MCP's hints about a tool. They are claims of its author, not guarantees. */
export interface ToolAnnotations {
  readonly title?: string | undefined
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
  readonly [hint: string]: unknown
}

/** How calls of a tool are scheduled. */
export interface ExecutionFacts {
  /**
   * `false`: a call runs alone; it waits for the calls before it, and those after it wait for it. `true` or absent:
   * calls may run concurrently. Default: derived from `readOnlyHint`.
   */
  readonly parallel?: boolean
  /** Running a call twice has the same effect as once, so a failed one may be retried. Default: derived from MCP's hints. */
  readonly idempotent?: boolean
  /** How long a call may take, all attempts included. */
  readonly timeoutMs?: number
  /** A call runs only after `approve` has accepted it. */
  readonly needsApproval?: boolean
}

/** A defined tool: what the model is told, and what runs. */
export interface ToolSpec<Args = unknown, Result = unknown> extends ExecutionFacts {
  readonly [toolMark]: true
  readonly name: string
  /** A name for display. */
  readonly title?: string
  readonly description?: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema
  /** JSON Schema of the result. */
  readonly outputSchema?: JsonSchema
  readonly strict?: boolean
  readonly annotations?: ToolAnnotations
  // Methods, not function properties: method parameters are bivariant, so that tools with different arguments fit into
  // one list. That is safe, because arguments are validated before they reach a handler.
  /** The validation of the Standard Schema; its value, with defaults and transforms, is passed to the handler. */
  validateArguments?(args: unknown): StandardResult<Args> | Promise<StandardResult<Args>>
  /** The same for the result, if `outputSchema` was a Standard Schema. */
  validateResult?(result: unknown): StandardResult<unknown> | Promise<StandardResult<unknown>>
  /** A run always passes the context; a direct call may omit it. */
  handler?(args: Args, context?: ToolContext): Result | Promise<Result>
}

export function isToolSpec(value: unknown): value is ToolSpec {
  return typeof value === 'object' && value !== null && (value as Partial<ToolSpec>)[toolMark] === true
}

/** What a handler gets besides its arguments. */
export interface ToolContext {
  /** Aborts when the call must stop: the caller aborted, the time is up, or another call failed fatally. */
  readonly signal: Signal
  readonly callId: string
  /** The tool's name. */
  readonly name: string
  /** Counts from 1. */
  readonly attempt: number
  /** The same for all attempts of one call and unique among calls, so that a service can recognise a repetition. */
  readonly idempotencyKey: string
  /** Emits a `call-progress` event. Ignored once the call has ended. */
  progress(data: unknown): void
}

/** For a handler that is called directly: its signal never aborts, and progress is ignored. */
export function detachedContext(name: string): ToolContext {
  return {
    signal: neverAborts() as Signal,
    callId: 'direct',
    name,
    attempt: 1,
    idempotencyKey: 'direct',
    progress: () => {},
  }
}

function neverAborts(): SignalLike & { throwIfAborted(): void } {
  return {
    aborted: false,
    addEventListener: () => {},
    removeEventListener: () => {},
    throwIfAborted: () => {},
  }
}
