/**
 * What `defineTool` and `ToolRegistry` throw. These are mistakes in a program, not in a model's data, so they
 * are thrown at once, with a stable code and the remedy in the message.
 */

export type ToolErrorCode =
  /** A definition, or a field of it, has the wrong type or stands in the wrong place. */
  | 'invalid_definition'
  | 'missing_name'
  /** The parameters are not a JSON Schema that can describe an object. */
  | 'parameters_not_object'
  /** A schema library gave no JSON Schema for its schema. */
  | 'schema_not_convertible'
  | 'duplicate_tool'
  | 'unknown_tool'

export class ToolError extends TypeError {
  override readonly name: string = 'ToolError'
  readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
