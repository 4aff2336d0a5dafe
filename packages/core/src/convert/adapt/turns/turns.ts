/**
 * Groups turns as the target requires. Consecutive assistant turns become one; the results of its calls follow
 * directly, in the order of the calls, whatever was between them in the source.
 */
import { isResult, type Part, type ResultPart, type Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { reportResidue } from '../../../wires/kit/report-residue.ts'
import { mapShared } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, withTurns } from '../context.ts'

export function groupTurns(request: Request, context: AdaptContext): Request {
  if (isAllNative(context)) return request
  const { turns } = request
  const isOwn = (turn: Turn): boolean => isNativeTurn(turn, context)
  const grouped = context.isMixed
    ? runsOf(turns, isOwn).flatMap(({ own, run }) => (own ? run : groupRun(run, context)))
    : groupRun(turns, context)
  return hasSameTurns(grouped, turns) ? request : withTurns(request, grouped)
}

/** Native turns stay as they are; each run of other turns between them is grouped by itself. */
function runsOf(turns: readonly Turn[], isOwn: (turn: Turn) => boolean): { own: boolean; run: Turn[] }[] {
  const runs: { own: boolean; run: Turn[] }[] = []
  for (const turn of turns) {
    const own = isOwn(turn)
    const last = runs.at(-1)
    if (last?.own === own) last.run.push(turn)
    else runs.push({ own, run: [turn] })
  }
  return runs
}

function hasSameTurns(grouped: readonly Turn[], turns: readonly Turn[]): boolean {
  if (grouped.length !== turns.length) return false
  return grouped.every((turn, i) => {
    const other = turns[i]
    if (turn === other) return true
    if (turn.role !== other?.role || turn.parts.length !== other.parts.length) return false
    return turn.residue === other.residue && turn.parts.every((part, k) => part === other.parts[k])
  })
}

function groupRun(turns: readonly Turn[], { profiles, report }: AdaptContext): readonly Turn[] {
  const split = mapShared(turns, turn => splitResults(turn, report))
  const joined = joinRuns(split, (turn, last) => turn.role === 'assistant' && last.role === 'assistant')
  const grouped = placeResults(joined)
  switch (profiles.foreign.results) {
    case 'one per turn':
      return mapShared(grouped, oneResultEach)
    case 'with the user':
      return resultsAsUser(grouped)
    case 'anywhere':
      return grouped
  }
}

/**
 * Moves results out of a user turn into a tool turn before it. The residue of the turn is reported here, because a
 * regrouped turn may consist of several source turns.
 */
function splitResults(original: Turn, report: Report): Turn | readonly Turn[] {
  reportResidue(original.residue, report)
  const turn = withoutResidue(original)
  // An empty list of content means nothing, and servers refuse a message without content.
  if (turn.parts.length === 0) return []
  if (!turn.parts.some(isResult)) return turn
  const results = turn.parts.filter(isResult)
  if (results.length === turn.parts.length) return resultTurnOf(turn, results)
  return [resultTurnOf(turn, results), { ...turn, parts: turn.parts.filter(part => !isResult(part)) }]
}

function resultTurnOf({ root, origin }: Turn, parts: readonly Part[]): Turn {
  return { role: 'tool', parts, root, ...(origin !== undefined && { origin }) }
}

function withoutResidue(turn: Turn): Turn {
  if (turn.residue === undefined) return turn
  const { residue: _, ...rest } = turn
  return rest
}

/** Joins runs of turns that belong together, copying each part once. */
function joinRuns(turns: readonly Turn[], belongs: (turn: Turn, last: Turn) => boolean): Turn[] {
  const out: Turn[] = []
  let last: Turn | undefined
  /** The parts of the run, once it has more than one turn. */
  let joined: Part[] | undefined
  for (const turn of turns) {
    if (last === undefined || !belongs(turn, last)) {
      joined = undefined
      out.push(turn)
    } else {
      const first = out.at(-1) ?? turn
      if (joined === undefined) {
        joined = [...first.parts]
        const { plain: _, ...rest } = first
        out[out.length - 1] = { ...rest, parts: joined }
      }
      for (const part of turn.parts) joined.push(part)
    }
    last = turn
  }
  return out
}

/**
 * Moves every result directly after the turn with its call; a result without a call stays in place. Results are in
 * separate turns at this point.
 */
function placeResults(turns: readonly Turn[]): Turn[] {
  const results = new Map<string, ResultPart>()
  for (const { role, parts } of turns) {
    if (role !== 'tool') continue
    for (const part of parts) if (isResult(part) && part.callId !== undefined) results.set(part.callId, part)
  }
  const moved = new Set<string>()
  const resultTurn = turns.map(turn => takeResultsFor(turn, results, moved))
  const isLeft = (part: Part): boolean =>
    !isResult(part) ||
    part.callId === undefined ||
    !moved.has(part.callId) ||
    results.get(part.callId) !== part
  const out: Turn[] = []
  let at = 0
  for (const turn of turns) {
    const parts = resultTurn[at++]
    if (turn.role === 'tool') {
      const left = turn.parts.filter(isLeft)
      if (left.length > 0) out.push({ ...turn, parts: left })
      continue
    }
    out.push(turn)
    if (parts !== undefined) out.push(resultTurnOf(turn, parts))
  }
  return out
}

/** Takes the results of the turn's calls that have not been moved yet. */
function takeResultsFor(
  { parts }: Turn,
  results: ReadonlyMap<string, ResultPart>,
  moved: Set<string>,
): ResultPart[] | undefined {
  let resultTurn: ResultPart[] | undefined
  for (const part of parts) {
    if (part.kind !== 'call' || part.id === undefined || moved.has(part.id)) continue
    const result = results.get(part.id)
    if (result === undefined) continue
    resultTurn ??= []
    resultTurn.push(result)
  }
  for (const { callId = '' } of resultTurn ?? []) moved.add(callId)
  return resultTurn
}

function oneResultEach(turn: Turn): Turn | readonly Turn[] {
  if (turn.role !== 'tool' || turn.parts.length === 1) return turn
  return turn.parts.map(part => ({ ...turn, parts: [part] }))
}

/** For wires whose results are blocks of a user turn: results come first, the user's text follows in the same turn. */
function resultsAsUser(turns: readonly Turn[]): readonly Turn[] {
  let answering = false
  const joined = joinRuns(turns, (turn, last) => {
    answering = last.role === 'tool' || (answering && last.role === 'user')
    return answering && (turn.role === 'user' || turn.role === 'tool')
  })
  return mapShared(joined, turn => (turn.role === 'tool' ? { ...turn, role: 'user' } : turn))
}
