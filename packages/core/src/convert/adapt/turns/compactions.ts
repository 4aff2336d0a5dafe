/**
 * Opens compactions: the summary takes the place of the conversation that it stands for. One that was made elsewhere goes
 * back to its maker as it is; for anybody else a note stands in its place, so that the conversation goes on.
 */
import { append } from '../../../json/object.ts'
import type { Compaction } from '../../../model/compaction.ts'
import type { OpaquePart, Part, Turn } from '../../../model/conversation.ts'
import { isNative } from '../../../model/origin.ts'
import type { Request } from '../../../model/request.ts'
import { filterResidue } from '../../../model/residue.ts'
import { compactionIn, itemIn } from '../../compaction/sealed-compaction.ts'
import { windowOf } from '../../compaction/window.ts'
import { isEnvelope, openEnvelope } from '../../shared/envelope.ts'
import { mapShared } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isNativeTurn, withTurns } from '../context.ts'

/** Where it is to be done here, the upstream is not asked for it. */
export function takeCompactionDemand(request: Request, context: AdaptContext): Request {
  const { client, isNative: isOwn, profile } = context
  if (client?.compacts !== true || (isOwn && profile.compacts)) return request
  const { compaction: demand, residue } = request
  const turns = mapShared(request.turns, turn => (isTrigger(turn) ? [] : turn))
  if (demand === undefined || demand.isTaken) return withTurns(request, turns)
  const taken = { ...request, turns, compaction: { ...demand, isTaken: true } }
  const { field } = demand
  if (residue === undefined || field === undefined) return taken
  const left = filterResidue(residue, ([path]) => path[0] !== field.key)
  return { ...taken, residue: { ...left, entries: [...left.entries, ...field.left] } }
}

/** Those that are not the last item were met by what follows them. */
function isTrigger({ parts }: Turn): boolean {
  const [part] = parts
  return parts.length === 1 && part?.kind === 'opaque' && part.demand === true
}

export function openCompactions(request: Request, context: AdaptContext): Request {
  if (!holdsCompaction(request.turns)) return request
  const pieces = request.turns.flatMap(turn => piecesOf(turn, context))
  const isSame = pieces.every(({ turn, opened }, i) => opened === undefined && turn === request.turns[i])
  if (isSame && pieces.length === request.turns.length) return request
  const at = pieces.findLastIndex(({ opened }) => opened !== undefined)
  const { opened, turn } = pieces[at] ?? {}
  if (opened === undefined || turn === undefined) return withTurns(request, pieces.flatMap(turnOf))
  const { before, last, gone } = windowOf(pieces.slice(0, at).flatMap(turnOf), opened.tail)
  for (const { root } of gone)
    context.report('turn_compacted', root, 'A summary further on stands for it; it was left out.')
  const turns = [...before, summaryTurn(opened, turn), ...last]
  append(turns, pieces.slice(at + 1).flatMap(turnOf))
  return { ...request, turns }
}

export function holdsCompaction(turns: readonly Turn[]): boolean {
  return turns.some(({ parts }) => parts.some(isCompaction))
}

/** A turn, or what is opened of it. */
interface Piece {
  readonly turn: Turn
  readonly opened?: Compaction
}

/** Earlier summaries are part of what the last one stands for. */
function turnOf({ turn, opened }: Piece): readonly Turn[] {
  return opened === undefined ? [turn] : []
}

export function isCompaction(part: Part): part is OpaquePart {
  return part.kind === 'opaque' && part.compaction !== undefined
}

function piecesOf(turn: Turn, context: AdaptContext): readonly Piece[] {
  if (!turn.parts.some(isCompaction)) return [{ turn }]
  const pieces: Piece[] = []
  let parts: Part[] = []
  const flush = (): void => {
    if (parts.length > 0) pieces.push({ turn: { ...turn, parts } })
    parts = []
  }
  for (const part of turn.parts) {
    const read = isCompaction(part) ? readCompaction(part, turn, context) : part
    if ('kind' in read) parts.push(read)
    else {
      flush()
      pieces.push(read)
    }
  }
  flush()
  const [first] = pieces
  const isSame = pieces.length === 1 && first?.turn.parts.every((part, i) => part === turn.parts[i])
  return isSame && first?.opened === undefined ? [{ turn }] : pieces
}

function readCompaction(part: OpaquePart, turn: Turn, context: AdaptContext): Piece | Part {
  const { seal, target, report, profile } = context
  const { sealed, opened: known } = part.compaction ?? {}
  if (known !== undefined) return { turn, opened: known }
  if (sealed === undefined || !isEnvelope(sealed)) {
    // Its own server reads it, unless it makes none, and on other wires everybody may be able to.
    if (isNativeTurn(turn, context) ? profile.compacts : part.read !== undefined) return part
    report('compaction_unreadable', part.path, 'Only the server that made this summary can read it.')
    return noteFor(part, turn)
  }
  const envelope = seal && openEnvelope(sealed, seal)
  const opened = envelope && compactionIn(envelope)
  if (opened !== undefined) return { turn: { ...turn, root: part.path }, opened }
  const item = envelope && isNative(envelope.origin, target) ? itemIn(envelope) : undefined
  if (item !== undefined) return { ...part, value: item }
  report(
    'compaction_unreadable',
    part.path,
    'This summary was changed, or is not of this client or upstream.',
  )
  return noteFor(part, turn)
}

/** What a client says that the summary was is quoted, and never taken for one. */
function noteFor({ path, compaction }: OpaquePart, { role: _, ...turn }: Turn): Piece {
  const { summary } = compaction ?? {}
  const quote = summary === undefined || summary === '' ? '' : ` The client quotes it as:\n\n${summary}`
  const text = `[A summary of the earlier conversation stood here, which cannot be read.${quote}]`
  return { turn: madeTurn(text, path, turn) }
}

function summaryTurn({ summary }: Compaction, { root }: Turn): Turn {
  return madeTurn(`Summary of the conversation so far:\n\n${summary}`, root, { root })
}

function madeTurn(text: string, path: Turn['root'], { root }: Pick<Turn, 'root'>): Turn {
  return { role: 'user', parts: [{ kind: 'text', text, path }], root }
}
