/**
 * The errors of this room, and how it handles values that handlers, schemas and listeners throw. Anything can be
 * thrown, even an object whose getters throw, so every access is guarded. Stacks are never sent to the model.
 */
import type { ThrownCode } from '../model/diagnostic-codes.ts'

export interface ErrorDescription {
  readonly message: string
  /** The error's own `code`, if it is a string. */
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

/** `undefined` if the thrown value has no usable message. */
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

/** Errors of another realm, such as a worker or a test sandbox, are not instances of this realm's `Error`. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** A registered symbol, so that an error of another copy of this library is recognised. */
const fatalMark = Symbol.for('toolwire.fatal')

/** Thrown by a handler to stop the entire conversation. Any other error fails only its own call. */
export class FatalToolError extends Error {
  override readonly name: string = 'FatalToolError'
  readonly code: string = 'fatal_error'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    Object.defineProperty(this, fatalMark, { value: true })
  }
}

function isFatal(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && fatalMark in thrown
}

/** The kinds of mistakes in definitions of tools. */
export type ToolErrorCode = ThrownCode | 'missing_name' | 'not_a_list' | 'parameters_not_object'

/** A mistake in a program, such as a bad definition. The message says how to fix it; the code is stable. */
export class ToolError extends TypeError {
  override readonly name: string = 'ToolError'
  readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Calls the listener synchronously, and ignores what it throws or rejects with. */
export function safeListener<Event>(
  listener: ((event: Event) => unknown) | undefined,
): (event: Event) => void {
  if (listener === undefined) return () => {}
  return event => {
    new Promise(resolve => resolve(listener(event))).catch(() => {})
  }
}
