/**
 * What a user put in and the target cannot take: an image or a file by an id of another provider, audio, video. In the
 * newest turn that is an error, because the answer would ignore it; in earlier turns a note takes its place, so that one
 * picture does not end a conversation.
 */
import type { MediaKind, Part, ResultPart, Turn } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import { mapShared, withParts } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, profileFor, withTurns } from '../context.ts'

export function replaceMedia(request: Request, context: AdaptContext): Request {
  if (isAllNative(context)) return request
  const newest = startOfNewest(request.turns)
  let at = 0
  const turns = mapShared(request.turns, turn => {
    const isNewest = at++ >= newest
    if (isNativeTurn(turn, context)) return turn
    return withParts(
      turn,
      mapShared<Part>(turn.parts, part =>
        part.kind === 'result'
          ? replaceInResult(part, turn, context)
          : replacePart(part, turn, isNewest && turn.role === 'user', context),
      ),
    )
  })
  return withTurns(request, turns)
}

/** Where what the answer is for begins. A client may have begun the answer itself. */
function startOfNewest(turns: readonly Turn[]): number {
  let at = turns.findLastIndex(({ role }) => role !== 'assistant')
  while (at > 0 && turns[at - 1]?.role !== 'assistant') at--
  return at
}

function kindOf(part: Part): MediaKind | undefined {
  if (part.kind === 'image' || part.kind === 'file') return part.kind
  return part.kind === 'opaque' ? part.media : undefined
}

/** A tool put it there, not the user, and the loop has to go on. */
function replaceInResult(part: ResultPart, turn: Turn, context: AdaptContext): ResultPart {
  const content = mapShared<Part>(part.content, inner => replacePart(inner, turn, false, context))
  return content === part.content ? part : { ...part, content }
}

function replacePart(
  part: Part,
  turn: Turn,
  isAsked: boolean,
  context: AdaptContext,
): Part | readonly Part[] {
  const kind = kindOf(part)
  const problem = kind === undefined ? undefined : problemOf(part, kind, turn, context)
  if (kind === undefined || problem === undefined) return part
  const policy = policyFor(kind, context)
  const { report } = context
  if (policy === 'drop') {
    report('part_dropped', part.path, `${problem} It was left out.`)
    return []
  }
  if (policy === 'error' && isAsked) report('media_refused', part.path, `${problem} ${remedies[kind]}`)
  else report('media_replaced', part.path, `${problem} A note takes its place.`)
  return { kind: 'text', text: `[${nouns[kind]} that cannot be shown here]`, path: part.path }
}

function policyFor(kind: MediaKind, { client }: AdaptContext): string {
  const media = client?.media ?? 'error'
  return typeof media === 'string' ? media : (media[kind] ?? 'error')
}

/** Why the target cannot take the part; `undefined` if it can. */
function problemOf(part: Part, kind: MediaKind, turn: Turn, context: AdaptContext): string | undefined {
  const { source, target } = context
  const { imageSources, fileSources, fileStore } = profileFor(turn, context)
  const noun = nouns[kind]
  if (part.kind === 'opaque')
    return part.wire === target.wire ? undefined : `${noun} of this form is not taken by the target.`
  if (part.kind !== 'image' && part.kind !== 'file') return undefined
  const { type } = part.source
  const taken = part.kind === 'image' ? imageSources : fileSources
  if (!taken.includes(type)) return `The target does not take ${noun.toLowerCase()} ${forms[type]}.`
  if (part.source.type !== 'file' || fileStore === source.fileStore) return undefined
  return `The id ${JSON.stringify(part.source.id)} is of another provider's files, which the target cannot read.`
}

const nouns: { readonly [K in MediaKind]: string } = {
  image: 'An image',
  file: 'A file',
  audio: 'Audio',
  video: 'A video',
}

const forms = { url: 'by its address', data: 'as data', file: 'by its id', text: 'as text' } as const

const remedies: { readonly [K in MediaKind]: string } = {
  image: 'Send it as data, or choose a model whose provider holds it.',
  file: 'Send it as data or as text, or choose a model whose provider holds it.',
  audio: 'Send its transcript, or choose a model that is reached on a wire with audio.',
  video: 'Send images of it, or choose a model that is reached on a wire with video.',
}
