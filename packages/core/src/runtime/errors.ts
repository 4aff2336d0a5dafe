/**
 * What is said of a thrown value. Anything can be thrown, also objects that throw when they are looked at, so
 * every look is guarded. The model is told the message and never the stack.
 */
import type { ThrownCode } from '../model/diagnostic-codes.ts'

export interface ErrorDescription {
  readonly message: string
  /** The code on the thrown error, where it is a text. */
  readonly code: string | undefined
  readonly fatal: boolean
}

const noMessage = 'The tool failed without saying why.'

export function describeError(thrown: unknown): ErrorDescription {
  return {
    message: errorMessage(thrown) ?? noMessage,
    code: attempt(() => codeOf(thrown)),
    fatal: attempt(() => isFatal(thrown)) ?? false,
  }
}

/** What it says, if it says anything. */
export function errorMessage(thrown: unknown): string | undefined {
  return attempt(() => messageOf(thrown)) || undefined
}

function messageOf(thrown: unknown): string | undefined {
  if (thrown === undefined || thrown === null) return undefined
  if (typeof thrown !== 'object') return typeof thrown === 'function' ? undefined : String(thrown)
  const { message, name } = thrown as { readonly message?: unknown; readonly name?: unknown }
  if (typeof message === 'string' && message.trim() !== '') return message
  if (isError(thrown)) return typeof name === 'string' && name !== 'Error' ? name : undefined
  const text: unknown = JSON.stringify(thrown)
  return typeof text === 'string' && text !== '{}' ? text : undefined
}

function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  const { code } = thrown as { readonly code?: unknown }
  return typeof code === 'string' && code !== '' ? code : undefined
}

/** Errors of other realms, such as a worker's or a test's, are no instances of this one's class. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** What a handler throws when the whole conversation must stop, and not only its own call fail. */

/** A registered symbol, so that an error thrown by another copy of this library counts. */
const fatalMark = Symbol.for('toolwire.fatal')

export class FatalToolError extends Error {
  override readonly name: string = 'FatalToolError'
  readonly code: string = 'fatal_error'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    Object.defineProperty(this, fatalMark, { value: true })
  }
}

export function isFatal(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && fatalMark in thrown
}

export type ToolErrorCode = ThrownCode | 'missing_name' | 'not_a_list' | 'parameters_not_object'

export class ToolError extends TypeError {
  override readonly name: string = 'ToolError'
  readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Listeners hear what happens; what they make of it, now or later, is not the affair of whoever tells them. */

/** Calls the listener at once. What it throws is ignored, and so is the rejection of an asynchronous one. */
export function callListener<Event>(
  listener: ((event: Event) => unknown) | undefined,
): (event: Event) => void {
  if (listener === undefined) return () => {}
  return event => {
    new Promise(resolve => resolve(listener(event))).catch(() => {})
  }
}
