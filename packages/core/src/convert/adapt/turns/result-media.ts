/**
 * Moves images and files out of results, for a target whose results hold only text. They follow in a user turn after
 * all results, because a user turn between two results would separate results from their calls.
 */
import { append } from '../../../json/object.ts'
import type { Part, ResultPart, Turn } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import type { AdaptContext } from '../context.ts'
import { profileFor, withTurns } from '../context.ts'

export function hoistResultMedia(request: Request, context: AdaptContext): Request {
  const { report, profile, isMixed } = context
  if (!isMixed && profile.resultMedia) return request
  const isRefused = (turn: Turn): boolean =>
    !profileFor(turn, context).resultMedia && turn.parts.some(isMediaResult)
  if (!request.turns.some(isRefused)) return request
  const out: Turn[] = []
  let hoisted: Part[] = []
  const flush = (): void => {
    const [first] = hoisted
    if (first !== undefined) out.push({ role: 'user', parts: hoisted, root: first.path })
    hoisted = []
  }
  for (const turn of request.turns) {
    if (turn.role !== 'tool') flush()
    if (!isRefused(turn)) {
      out.push(turn)
      continue
    }
    const { userAfterResults } = profileFor(turn, context)
    out.push({
      ...turn,
      parts: turn.parts.map(part => {
        if (part.kind !== 'result' || !isMediaResult(part)) return part
        const media = part.content.filter(isMedia)
        if (!userAfterResults) {
          for (const { path } of media)
            report('part_dropped', path, 'The target accepts no images or files from results.')
          return withoutMedia(part, '(an image or file that cannot be shown here)')
        }
        for (const { path } of media) {
          report(
            'result_media_hoisted',
            path,
            'The target takes only text in results; this follows in a message behind them.',
          )
        }
        const text = `From the result of call ${part.callId ?? 'without an id'}:`
        hoisted.push({ kind: 'text', text, path: part.path })
        append(hoisted, media)
        return withoutMedia(part, '(see the following message)')
      }),
    })
  }
  flush()
  return withTurns(request, out)
}

function isMediaResult(part: Part): boolean {
  return part.kind === 'result' && part.content.some(isMedia)
}

function isMedia(part: Part): boolean {
  return part.kind === 'image' || part.kind === 'file'
}

function withoutMedia(part: ResultPart, text: string): ResultPart {
  const content = part.content.filter(inner => !isMedia(inner))
  const placeholder: Part = { kind: 'text', text, path: part.path }
  return { ...part, content: content.length === 0 ? [placeholder] : content }
}
