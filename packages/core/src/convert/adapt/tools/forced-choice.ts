/** The tool choice of later rounds, after the model has made its first calls. */
import type { ToolParams } from '../../../model/tool.ts'

/** Lifts a forced choice after the first call; otherwise the model could never give its answer. */
export function liftForcedChoice(params: ToolParams): ToolParams {
  const { choice, ...rest } = params
  switch (choice?.mode) {
    case 'required':
    case 'tool':
      return rest
    case 'allowed':
      return choice.required ? { ...rest, choice: { ...choice, required: false } } : params
    default:
      return params
  }
}

/** For the last round: the results of further calls could not be sent. */
export function forbidCalls(params: ToolParams): ToolParams {
  return { ...params, choice: { mode: 'none', path: params.choice?.path ?? [] } }
}
