/**
 * Sends reasoning back to the upstream that it came from, as it was, and what can be read of any other reasoning as the
 * target takes it. What is sealed goes to its origin alone.
 */
import type { Part, ReasoningPart, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import { isNative } from '../../../model/origin.ts'
import type { Request } from '../../../model/request.ts'
import { reportResidue } from '../../../wires/kit/report-residue.ts'
import { openEnvelope } from '../../shared/envelope.ts'
import { envelopeOf, unsealPart } from '../../shared/sealed-reasoning.ts'
import { mapShared, withPartsOrDropped } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, mapTurns, withTurns } from '../context.ts'
import { reasoningInPlace, turnsInPlace } from './reasoning-place.ts'

export function adaptReasoning(request: Request, context: AdaptContext): Request {
  const { seal, profiles, report } = context
  if (isAllNative(context) && context.profile.reasoningText && seal === undefined) return request
  const adapted = mapTurns(request, turn => {
    const isOwn = isNativeTurn(turn, context)
    const adapt = isOwn ? adaptNative : adaptForeign
    if (isOwn && profiles.native.reasoningText && seal === undefined) return turn
    const envelopes = new Set<string>()
    const opened = mapShared(turn.parts, part => {
      if (part.kind !== 'reasoning') return part
      const envelope = envelopeOf(part)
      if (envelope === undefined) return adapt(part, context)
      // Streams of Chat repeat envelopes, and some clients return every repetition.
      if (envelopes.has(envelope)) return []
      envelopes.add(envelope)
      return openPart(part, envelope, context)
    })
    const parts = opened === turn.parts ? opened : reasoningInPlace(opened)
    return withPartsOrDropped(withNewText(turn, parts, report), parts, report)
  })
  return adapted === request ? request : withTurns(adapted, turnsInPlace(adapted.turns))
}

/** A turn with a new text cannot say again what it had in its place, such as that it had none. */
function withNewText(turn: Turn, parts: readonly Part[], report: Report): Turn {
  const hasNew =
    parts !== turn.parts && parts.some(part => part.kind === 'text' && !turn.parts.includes(part))
  if (!hasNew || turn.residue === undefined) return turn
  const { residue, ...rest } = turn
  reportResidue(residue, report)
  return rest
}

/** Nothing in the request tells how an envelope came to be what it is, so none of them is an error. */
function openPart(part: ReasoningPart, envelope: string, context: AdaptContext): Part | readonly Part[] {
  const { seal, target, report } = context
  const opened = seal && openEnvelope(envelope, seal)
  const isOfTarget = opened !== undefined && isNative(opened.origin, target)
  const own = isOfTarget ? unsealPart(part, opened) : undefined
  if (own !== undefined) return own
  if (opened === undefined) {
    const message = 'This sealed reasoning was changed, or not sealed here for this client; it was left out.'
    report('reasoning_unreadable', part.path, message)
  } else {
    report('reasoning_foreign', part.path, 'This sealed reasoning is of another upstream; it was left out.')
  }
  return readablePart(part, context)
}

function adaptNative(part: ReasoningPart, context: AdaptContext): Part | readonly Part[] {
  const isRefused = !context.profiles.native.reasoningText
  if (!isRefused || part.inContent || part.seal !== undefined || part.text.length === 0) return part
  context.report('reasoning_dropped', part.path, 'The target takes no such reasoning; it was left out.')
  return []
}

function adaptForeign(part: ReasoningPart, context: AdaptContext): Part | readonly Part[] {
  const { seal, profiles, report } = context
  if (part.seal !== undefined) {
    const message = 'Signed or encrypted reasoning means something only to its origin; it was left out.'
    report('reasoning_sealed', part.seal.path ?? part.path, message)
  }
  // A text may be of the target, unless what is of the target would have come back in an envelope.
  const mayBeOwn = part.seal === undefined || (seal === undefined && part.text.length > 0)
  return mayBeOwn && profiles.foreign.reasoningText ? asReasoning(part) : readablePart(part, context)
}

/** What the client can read of reasoning that is not of the target stays in the conversation. */
function readablePart(
  part: ReasoningPart,
  { options, profiles, report }: AdaptContext,
): Part | readonly Part[] {
  // Some upstreams refuse calls without reasoning, whoever made them.
  const takesAny = options.profile?.reasoningText ?? profiles.foreign.callReasoning === 'required'
  if (takesAny) return asReasoning(part)
  reportResidue(part.residue, report)
  const text = readable(part).join('\n\n')
  if (text === '') return []
  const message = 'The target takes no such reasoning; what could be read of it was sent as a text.'
  report('reasoning_as_text', part.path, message)
  return [{ kind: 'text', text, path: part.path }]
}

function asReasoning(part: ReasoningPart): Part | readonly Part[] {
  const { seal, ...unsealed } = part
  if (part.text.length > 0) return seal === undefined ? part : unsealed
  const text = readable(part)
  return text.length === 0 ? [] : { ...unsealed, text, summary: [] }
}

function readable({ text, summary }: ReasoningPart): readonly string[] {
  return (text.length > 0 ? text : summary).filter(section => section.trim() !== '')
}
