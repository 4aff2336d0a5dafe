/** Options and events of a batch of calls. An invalid option is a programming mistake and is thrown at once. */
import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { show } from '../../json/text.ts'
import type { Signal, SignalLike } from '../host.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'

/** The tools, limits and watchers of `runToolCalls`. */
export interface RunCallsOptions {
  /** A `ToolRegistry`, or any list of tools. */
  readonly tools: Iterable<ToolSpec>
  /** Aborting it cancels running calls and prevents the others from starting. */
  readonly signal?: Signal | SignalLike
  /** How many calls may run at once. Default: 8. */
  readonly concurrency?: number
  /**
   * How long a call of a tool without `timeoutMs` may take, from the start of its handler, all attempts included.
   * Checking the arguments may take as long again. Default: 120 000.
   */
  readonly timeoutMs?: number
  /** How long all calls together may take, including the wait for approval. Default: no limit. */
  readonly batchTimeoutMs?: number
  /** Runs handlers of idempotent tools again when they throw. Default: no retries. */
  readonly retries?: RetryOptions
  /**
   * Called before a call of a tool with `needsApproval` runs, in the order of the calls and one at a time.
   * Without it such calls are denied.
   */
  readonly approve?: (request: ApprovalRequest) => Approval | Promise<Approval>
  /** Whether arguments that do not parse may be repaired, or a function that repairs them. */
  readonly repairArguments?: boolean | ((text: string) => string)
  /** The `undo` of `encodeTools` or `convertTools`: restores the calls before anything else. */
  readonly undo?: CallRestorer
  /** How many characters of text a result may have; the middle of a longer one is cut out. Default: 100 000. */
  readonly maxResultLength?: number
  /** Called for every event as it happens. What it throws is ignored. */
  readonly onEvent?: (event: CallEvent) => void
}

/** How often a failed call is tried again, and how long to wait. */
export interface RetryOptions {
  /** How many times a handler is started at most, including the first. */
  readonly attempts: number
  /** The longest wait before the first repetition; it doubles with each further one. Default: 500. */
  readonly baseMs?: number
  /** The longest wait of all. Default: 10 000. */
  readonly maxMs?: number
}

/** What somebody who approves a call gets to see. */
export interface ApprovalRequest {
  readonly call: ToolCall
  readonly tool: ToolSpec
  /** The arguments as the handler would get them. */
  readonly args: unknown
  /** Aborts when the decision is no longer needed. */
  readonly signal: Signal
}

/** Whether a call may run; a reason is told to the model. */
export type Approval = boolean | { readonly approved: boolean; readonly reason?: string }

/** The part of a `CallUndo` that running calls needs. */
export interface CallRestorer {
  restoreCall(call: {
    readonly kind: 'function'
    readonly name: string
    readonly namespace?: string
    readonly arguments: string
  }): RestoredCall
}

/** A call after the undo, as the client declared its tool. */
export interface RestoredCall {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly arguments?: string
  /** The free text of a custom tool's call. */
  readonly input?: string
}

/** What happens while calls run: started, tried again, progress, finished. */
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
  /** Emitted once for every call, whether or not it ran. */
  | { readonly type: 'call-finished'; readonly call: ToolCall; readonly outcome: CallOutcome }

/** The options with defaults filled in. */
export interface RunSettings extends RunCallsOptions {
  readonly concurrency: number
  readonly timeoutMs: number
  readonly maxResultLength: number
  readonly retries: Required<RetryOptions>
}

export const callOptionNames: KnownOptions<Omit<RunCallsOptions, 'tools'>> = {
  signal: true,
  concurrency: true,
  timeoutMs: true,
  batchTimeoutMs: true,
  retries: true,
  approve: true,
  repairArguments: true,
  undo: true,
  maxResultLength: true,
  onEvent: true,
}
const retryNames: KnownOptions<RetryOptions> = { attempts: true, baseMs: true, maxMs: true }

export function readRunOptions(options: RunCallsOptions): RunSettings {
  const { concurrency = 8, timeoutMs = 120_000, maxResultLength = 100_000, batchTimeoutMs, retries } = options
  refuseUnknownOptions('"retries"', retries, retryNames)
  requireWholeNumber('concurrency', concurrency)
  requireWholeNumber('maxResultLength', maxResultLength)
  requireDuration('timeoutMs', timeoutMs)
  if (batchTimeoutMs !== undefined) requireDuration('batchTimeoutMs', batchTimeoutMs)
  const { attempts = 1, baseMs = 500, maxMs = 10_000 } = retries ?? {}
  requireWholeNumber('retries.attempts', attempts)
  requireDuration('retries.baseMs', baseMs)
  requireDuration('retries.maxMs', maxMs)
  return { ...options, concurrency, timeoutMs, maxResultLength, retries: { attempts, baseMs, maxMs } }
}

function requireWholeNumber(name: string, value: unknown): void {
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 1)) return
  throw new TypeError(`"${name}" must be a whole number of at least 1; got ${show(value)}.`)
}

function requireDuration(name: string, value: unknown): void {
  if (typeof value === 'number' && value > 0) return
  throw new TypeError(`"${name}" must be a number of milliseconds above 0; got ${show(value)}.`)
}
