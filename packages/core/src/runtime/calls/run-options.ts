/** How a batch of calls is to be run. Options are code, so a wrong one is thrown at once. */
import { show } from '../../json/text.ts'
import type { Signal, SignalLike } from '../host.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'

export interface RunCallsOptions {
  /** A `ToolRegistry`, or any list of tools. */
  readonly tools: Iterable<ToolSpec>
  /** Aborting it cancels the calls that run and keeps the others from starting. */
  readonly signal?: Signal | SignalLike
  /** How many calls may run beside each other. 8 unless stated. */
  readonly concurrency?: number
  /**
   * For tools that state no `timeoutMs` of their own: how long a call may take, from the start of its handler
   * and all attempts together. Checking the arguments may take as long again. 120 000 unless stated.
   */
  readonly timeoutMs?: number
  /** How long all calls together may take, the wait for approval included. No limit unless stated. */
  readonly batchTimeoutMs?: number
  /** Handlers that throw are tried again, if their tool is idempotent. Not unless stated. */
  readonly retries?: RetryOptions
  /**
   * Asked before a call of a tool with `needsApproval` runs, in the order of the calls and one at a time.
   * Without it such calls are denied.
   */
  readonly approve?: (request: ApprovalRequest) => Approval | Promise<Approval>
  /** Whether arguments that do not parse may be mended, or the function that mends them. */
  readonly repairArguments?: boolean | ((text: string) => string)
  /** What `encodeTools` or `convertTools` gave: the calls are restored with it before anything else. */
  readonly undo?: RestoresCalls
  /** How many characters of text a result may have; more are cut out of its middle. 100 000 unless stated. */
  readonly maxResultLength?: number
  /** Hears what happens while it happens. What it throws is ignored. */
  readonly onEvent?: (event: CallEvent) => void
}

export interface RetryOptions {
  /** How often a handler is started at most, the first time included. */
  readonly attempts: number
  /** The longest wait before the first repetition; it doubles with each. 500 unless stated. */
  readonly baseMs?: number
  /** No wait is longer. 10 000 unless stated. */
  readonly maxMs?: number
}

export interface ApprovalRequest {
  readonly call: ToolCall
  readonly tool: ToolSpec
  /** The arguments as the handler would get them. */
  readonly args: unknown
  /** Aborts when the answer is no longer waited for. */
  readonly signal: Signal
}

export type Approval = boolean | { readonly approved: boolean; readonly reason?: string }

/** The part of a `CallUndo` that running calls needs. */
export interface RestoresCalls {
  restoreCall(call: {
    readonly kind: 'function'
    readonly name: string
    readonly namespace?: string
    readonly arguments: string
  }): RestoredCall
}

export interface RestoredCall {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly arguments?: string
  /** The free text of a custom tool's call. */
  readonly input?: string
}

export type CallEvent =
  /** The handler starts for the first time. */
  | {
      readonly type: 'call-started'
      readonly call: ToolCall
      readonly tool: ToolSpec
      readonly args: unknown
    }
  | {
      readonly type: 'call-retry'
      readonly call: ToolCall
      readonly tool: ToolSpec
      /** Which attempt failed. */
      readonly attempt: number
      readonly delayMs: number
      readonly error: NonNullable<CallOutcome['error']>
    }
  | {
      readonly type: 'call-progress'
      readonly call: ToolCall
      readonly tool: ToolSpec
      readonly data: unknown
    }
  /** Comes once for every call, whether or not it ran. */
  | { readonly type: 'call-finished'; readonly call: ToolCall; readonly outcome: CallOutcome }

/** The options with what they leave out. */
export interface RunSettings extends RunCallsOptions {
  readonly concurrency: number
  readonly timeoutMs: number
  readonly maxResultLength: number
  readonly retries: Required<RetryOptions>
}

export function readRunOptions(options: RunCallsOptions): RunSettings {
  const { concurrency = 8, timeoutMs = 120_000, maxResultLength = 100_000, batchTimeoutMs, retries } = options
  wholeNumber('concurrency', concurrency)
  wholeNumber('maxResultLength', maxResultLength)
  duration('timeoutMs', timeoutMs)
  if (batchTimeoutMs !== undefined) duration('batchTimeoutMs', batchTimeoutMs)
  const { attempts = 1, baseMs = 500, maxMs = 10_000 } = retries ?? {}
  wholeNumber('retries.attempts', attempts)
  duration('retries.baseMs', baseMs)
  duration('retries.maxMs', maxMs)
  return { ...options, concurrency, timeoutMs, maxResultLength, retries: { attempts, baseMs, maxMs } }
}

function wholeNumber(name: string, value: unknown): void {
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 1)) return
  throw new TypeError(`"${name}" must be a whole number of at least 1; got ${show(value)}.`)
}

function duration(name: string, value: unknown): void {
  if (typeof value === 'number' && value > 0) return
  throw new TypeError(`"${name}" must be a number of milliseconds above 0; got ${show(value)}.`)
}
