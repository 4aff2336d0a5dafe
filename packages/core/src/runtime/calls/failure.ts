/** How calls fail. The messages are written for the model and tell it what it can do next. */

import { describeError } from '../errors.ts'
import type { CallOutcome, CallStatus, OutcomeCode } from './outcome.ts'
import type { ResultContent } from './result-content.ts'

export interface Failure {
  readonly status: Exclude<CallStatus, 'ok'>
  readonly code: NonNullable<CallOutcome['error']>['code']
  readonly message: string
  readonly cause?: unknown
  readonly fatal?: boolean
  /** Sent to the model instead of the message: the tool returned its own description of the failure. */
  readonly returned?: ResultContent
}

/** Why a batch was ended early. */
export interface Stop {
  readonly by: 'abort' | 'batch_timeout' | 'fatal'
  readonly reason: unknown
}

export function failed(code: OutcomeCode, message: string, cause?: unknown): Failure {
  return { status: 'failed', code, message, ...(cause !== undefined && { cause }) }
}

export function thrownFailure(thrown: unknown): Failure {
  const { message, code, fatal } = describeError(thrown)
  const defaultCode = fatal ? 'fatal_error' : 'execution_error'
  return { status: 'failed', code: code ?? defaultCode, message, cause: thrown, fatal }
}

export function timedOut(name: string, milliseconds: number, lastFailure?: string): Failure {
  const before = lastFailure === undefined ? '' : ` The attempt before failed: ${lastFailure}`
  return {
    status: 'timed_out',
    code: 'timeout',
    message: `The tool "${name}" did not finish within ${milliseconds} ms and was stopped; what it did until then may have had effects. Ask it for less, or go on without it.${before}`,
  }
}

export function checkTimedOut(name: string, milliseconds: number): Failure {
  return {
    status: 'timed_out',
    code: 'timeout',
    message: `Checking the arguments for the tool "${name}" took longer than ${milliseconds} ms. Nothing was run. Try other arguments, or go on without it.`,
  }
}

export function stoppedWhileRunning(name: string, { by, reason }: Stop): Failure {
  if (by === 'batch_timeout') {
    return {
      status: 'timed_out',
      code: 'batch_timeout',
      message: `The time for all calls together ran out while the tool "${name}" was running, and it was stopped; what it did until then may have had effects. Make fewer calls at once, or go on without it.`,
    }
  }
  const why = by === 'abort' ? '' : ' because another call failed in a way that ends the conversation'
  return {
    status: 'cancelled',
    code: 'cancelled',
    message: `The call was cancelled while it was running${why}; what it did until then may have had effects.`,
    cause: reason,
  }
}

const notStartedReasons: { readonly [By in Stop['by']]: string } = {
  abort: 'the calls were cancelled before its turn came. Make it again if it is still needed.',
  batch_timeout:
    'the time for all calls together ran out before its turn came. Make it again if it is still needed, with fewer calls at once.',
  fatal: 'another call failed in a way that ends the conversation.',
}

export function notStarted({ by, reason }: Stop): Failure {
  const message = `The call was not started: ${notStartedReasons[by]}`
  return {
    status: 'not_started',
    code: 'not_started',
    message,
    ...(by !== 'batch_timeout' && { cause: reason }),
  }
}

export function denied(message: string, cause?: unknown): Failure {
  return { status: 'denied', code: 'denied', message, ...(cause !== undefined && { cause }) }
}

export function errorOf({ code, message, cause }: Failure): NonNullable<CallOutcome['error']> {
  return { code, message, ...(cause !== undefined && { cause }) }
}
