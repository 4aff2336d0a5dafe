/** A choice that forces a call, for a model that refuses to be forced: answering freely is not what was asked for. */
import type { Request } from '../../../model/request.ts'
import type { AdaptContext } from '../context.ts'
import { withToolParams } from '../context.ts'
import { liftForcedChoice } from './forced-choice.ts'

export function liftRefusedChoice(request: Request, { profile, options, report }: AdaptContext): Request {
  if (profile.forcedChoice) return request
  const free = liftForcedChoice(request.tools)
  const { choice } = request.tools
  if (free === request.tools || choice === undefined) return request
  const model = options.model ?? request.model
  const who = model === undefined ? 'The target' : `"${model}"`
  report(
    'tool_choice_refused',
    choice.path,
    `${who} refuses a forced call; the model may choose only freely.`,
  )
  return withToolParams(request, free)
}
