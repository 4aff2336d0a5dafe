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
