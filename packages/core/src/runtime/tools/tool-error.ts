/**
 * What `defineTool` and `ToolRegistry` throw. These are mistakes in a program, not in a model's data, so they
 * are thrown at once, with a stable code and the remedy in the message.
 */
import type { ThrownCode } from '../../model/diagnostic-codes.ts'

export type ToolErrorCode = ThrownCode | 'missing_name' | 'not_a_list' | 'parameters_not_object'

export class ToolError extends TypeError {
  override readonly name: string = 'ToolError'
  readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
