/** A tool as the program that owns it knows it: what the model is told, and what runs when it is called. */

import type { Signal, SignalLike } from '../host.ts'
import type { JsonSchema } from './json-schema.ts'
import type { StandardResult } from './standard-schema.ts'

/**
 * Marks what `defineTool` made. A registered symbol, so that tools pass between two copies of this library,
 * and enumerable, so that `{ ...tool, name }` is still a tool.
 */
export const toolMark: unique symbol = Symbol.for('toolwire.tool')

/** MCP's hints about a tool. They are claims of whoever wrote the tool, not guarantees. */
export interface ToolAnnotations {
  readonly title?: string | undefined
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
  readonly [hint: string]: unknown
}

/** Facts by which calls are scheduled. */
export interface ExecutionFacts {
  /**
   * `false`: a call runs alone. It waits for the calls before it, and those after it wait for it. `true` or
   * unstated: calls may run beside others. Follows from `readOnlyHint` unless stated.
   */
  readonly parallel?: boolean
  /** Running a call twice does no more than once, so that a failed one may be retried. Follows from the MCP hints unless stated. */
  readonly idempotent?: boolean
  /** How long a call may take, all its attempts together. */
  readonly timeoutMs?: number
  /** Someone must agree before a call runs. */
  readonly needsApproval?: boolean
}

export interface ToolSpec<Args = unknown, Result = unknown> extends ExecutionFacts {
  readonly [toolMark]: true
  readonly name: string
  /** A name for people. */
  readonly title?: string
  readonly description?: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema
  /** JSON Schema of the result. */
  readonly outputSchema?: JsonSchema
  readonly strict?: boolean
  readonly annotations?: ToolAnnotations
  // Methods, not function properties: tools with different arguments must fit into one list, and arguments
  // are validated before they reach a handler.
  /** The Standard Schema's own validation; its value, with defaults and transforms, is the handler's argument. */
  validateArguments?(args: unknown): StandardResult<Args> | Promise<StandardResult<Args>>
  /** The same for the result, where `outputSchema` was a Standard Schema. */
  validateResult?(result: unknown): StandardResult<unknown> | Promise<StandardResult<unknown>>
  /** A run always gives the context; who calls the handler directly may leave it out. */
  handler?(args: Args, context?: ToolContext): Result | Promise<Result>
}

export function isToolSpec(value: unknown): value is ToolSpec {
  return typeof value === 'object' && value !== null && (value as Partial<ToolSpec>)[toolMark] === true
}

export interface ToolContext {
  /** Aborts when the call must stop: the caller gave up, time ran out, or another call failed fatally. */
  readonly signal: Signal
  readonly callId: string
  /** The tool's name. */
  readonly name: string
  /** 1 for the first try. */
  readonly attempt: number
  /** The same for every attempt of one call and for no other call: lets a service recognise a repetition. */
  readonly idempotencyKey: string
  /** Tells whoever listens to the run how far the handler is. Ignored once the call has ended. */
  progress(data: unknown): void
}

/** For a handler that is called directly and not by a run: nothing aborts it and nobody listens. */
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
