/**
 * What is said of a thrown value. Anything can be thrown, also objects that throw when they are looked at, so
 * every look is guarded. The model is told the message and never the stack.
 */
import { isFatal } from './calls/fatal-tool-error.ts'

export interface Thrown {
  readonly message: string
  /** The code on the thrown error, where it is a text. */
  readonly code: string | undefined
  readonly fatal: boolean
}

const unexplained = 'The tool failed without saying why.'

export function describeThrown(thrown: unknown): Thrown {
  return {
    message: thrownMessage(thrown) ?? unexplained,
    code: attempt(() => codeOf(thrown)),
    fatal: attempt(() => isFatal(thrown)) ?? false,
  }
}

/** What it says, if it says anything. */
export function thrownMessage(thrown: unknown): string | undefined {
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
