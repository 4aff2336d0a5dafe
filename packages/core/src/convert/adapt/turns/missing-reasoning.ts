/**
 * Some servers refuse a call in the history without the reasoning that led to it. Where there is none, because another
 * model made the call or the client did not return it, a blank takes its place.
 */
import type { Part, Turn } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import type { Profile } from '../../../wires/profile.ts'
import type { AdaptContext } from '../context.ts'
import { mapTurns, profileFor } from '../context.ts'

export function addMissingReasoning(request: Request, context: AdaptContext): Request {
  const { profiles, seal } = context
  const isRequired = ({ callReasoning }: Profile): boolean => callReasoning === 'required'
  if (!isRequired(profiles.native) && !isRequired(profiles.foreign)) return request
  return mapTurns(request, turn => {
    // Where reasoning is sealed, a turn of the target's wire may be another upstream's.
    const profile = seal === undefined ? profileFor(turn, context) : profiles.foreign
    if (!lacksReasoning(turn) || !isRequired(profile)) return turn
    const { parts, root: path } = turn
    const message = 'The target refuses calls without reasoning, and there is none; a blank was added.'
    context.report('reasoning_added', path, message)
    const blank: Part = { kind: 'reasoning', text: [' '], summary: [], path }
    return { ...turn, parts: [blank, ...parts] }
  })
}

function lacksReasoning({ role, parts }: Turn): boolean {
  return (
    role === 'assistant' &&
    parts.some(({ kind }) => kind === 'call') &&
    !parts.some(({ kind }) => kind === 'reasoning')
  )
}
