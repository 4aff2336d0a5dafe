/** Replaces parts that only their source wire can express by what they say, or drops them. */

import { isObject } from '../../../json/object.ts'
import type { HostedPart, OpaquePart, Part, ResultPart, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { jsonText } from '../../../wires/kit/json-text.ts'
import { reportResidue } from '../../../wires/kit/report-residue.ts'
import { mapShared, withPartsOrDropped } from '../../shared/shared-lists.ts'
import type { AdaptContext, TurnContext } from '../context.ts'
import { isNativeTurn, withTurns } from '../context.ts'

export function dropForeignParts(request: Request, context: AdaptContext): Request {
  // What is declared in the middle stands beside the conversation by now, where the target takes it only there.
  const isBeside = context.isNative && !context.profile.additionalTools
  return withTurns(request, withoutForeignParts(request.turns, context, readPart, isBeside))
}

/** The turns of an answer, whose target is the client. */
export function answerFor(
  turns: readonly Turn[],
  context: TurnContext & Pick<AdaptContext, 'report'>,
): readonly Turn[] {
  return withoutForeignParts(turns, context, readAnswerPart)
}

/** What a part says, or nothing. */
type Reader = (part: HostedPart | OpaquePart) => readonly Part[] | undefined

function readPart({ read, value, path }: HostedPart | OpaquePart): readonly Part[] | undefined {
  return isObject(value) ? read?.(value, path) : undefined
}

/** What the provider's tools did on the way to an answer is not part of what the answer says. */
export function readAnswerPart(part: HostedPart | OpaquePart): readonly Part[] | undefined {
  return part.kind === 'opaque' ? readPart(part) : undefined
}

function withoutForeignParts(
  turns: readonly Turn[],
  context: TurnContext & Pick<AdaptContext, 'report'>,
  read: Reader,
  isBeside = false,
): readonly Turn[] {
  const { target, report } = context
  const isForeign = (part: Part): part is HostedPart | OpaquePart =>
    (part.kind === 'hosted' || part.kind === 'opaque') && part.wire !== target.wire
  const keep = (part: Part): Part | readonly Part[] => {
    if (part.kind === 'result') return withReadableContent(part, isForeign, report)
    if (part.kind === 'opaque' && part.readElsewhere && (isBeside || isForeign(part))) {
      reportResidue(part.residue, report)
      return []
    }
    if (!isForeign(part)) return part
    const readable = read(part)
    if (readable !== undefined) return mapShared(asRead(part, readable, report), keep)
    const code = part.kind === 'opaque' && part.demand ? 'demand_dropped' : 'part_dropped'
    report(code, part.path, `${nameOf(part)} has no form on the target; it was left out.`)
    return []
  }
  const uncited = (part: Part): Part => withoutCitations(part, report)
  return mapShared(turns, turn => {
    const parts = mapShared(turn.parts, keep)
    const cites = turn.role === 'assistant' || isNativeTurn(turn, context)
    return withPartsOrDropped(turn, cites ? parts : mapShared(parts, uncited), report)
  })
}

/** Reports that the parts stand for one that the target has no form for, and returns them. */
export function asRead(
  part: HostedPart | OpaquePart,
  readable: readonly Part[],
  report: Report,
): readonly Part[] {
  const message = `${nameOf(part)} has no form on the target; what it says was sent as text.`
  report('part_as_text', [...part.path, 'type'], message)
  return readable
}

/** What a tool returned always reaches the LLM: what has no other form is sent as JSON. */
function withReadableContent(
  part: ResultPart,
  isForeign: (part: Part) => part is HostedPart | OpaquePart,
  report: Report,
): ResultPart {
  const content = mapShared<Part>(part.content, inner => {
    if (!isForeign(inner)) return inner
    const readable = readPart(inner) ?? asJson(inner)
    return readable === undefined ? inner : asRead(inner, readable, report)
  })
  return content === part.content ? part : { ...part, content }
}

function asJson({ value, path }: HostedPart | OpaquePart): readonly Part[] | undefined {
  const text = jsonText(value)
  return text === undefined ? undefined : [{ kind: 'text', text, path }]
}

function nameOf(part: HostedPart | OpaquePart): string {
  const type = part.kind === 'hosted' ? part.type : isObject(part.value) ? part.value.type : undefined
  return typeof type === 'string' ? `"${type}"` : 'What could not be read'
}

/** Citations are allowed in assistant turns; only Messages allows them in others. */
function withoutCitations(part: Part, report: Report): Part {
  if (part.kind !== 'text' || part.citations === undefined || part.citations.length === 0) return part
  for (const { path } of part.citations)
    report('field_dropped', path, 'The target takes citations only from a model.')
  const { citations: _, ...rest } = part
  return rest
}
