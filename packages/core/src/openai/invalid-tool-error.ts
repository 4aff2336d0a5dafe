import type { DiagnosticCode } from '../model/diagnostic-codes.ts'

/** Thrown with `onInvalid: 'throw'`. The message begins with the fixed text of the rule that was broken. */
export class InvalidToolError extends TypeError {
  override readonly name: string = 'InvalidToolError'
  /** The code of the diagnostic that says the same. */
  readonly code: DiagnosticCode
  /** Which tool of the list it was. */
  readonly index: number

  constructor(rule: string, code: DiagnosticCode, index: number) {
    super(`${rule} (at index ${index})`)
    this.code = code
    this.index = index
  }
}
