/** The errors that the OpenAI functions throw. */
import type { ApiError } from '../model/answer.ts'
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'

/** Thrown with `onInvalid: 'throw'`. The message begins with the fixed text of the rule that was broken. */
export class InvalidToolError extends TypeError {
  override readonly name: string = 'InvalidToolError'
  /** The code of the diagnostic that reports the same problem. */
  readonly code: DiagnosticCode
  /** The index of the tool in the list. */
  readonly index: number

  constructor(rule: string, code: DiagnosticCode, index: number) {
    super(`${rule} (at index ${index})`)
    this.code = code
    this.index = index
  }
}

/** The answer says that it failed, so there is no message in it. Its message is the server's. */
export class FailedResponseError extends Error {
  override readonly name: string = 'FailedResponseError'
  /** The server's own code, or the kind of the failure. */
  readonly code: string

  constructor(error: ApiError | undefined) {
    super(error?.message ?? 'The answer failed, and the server did not say why.')
    this.code = error?.code ?? error?.kind ?? 'server'
  }
}
