/**
 * Turns grouped as the target groups them. All that an assistant says and calls before anyone answers is one
 * turn; the results follow at once, in the order of their calls, whatever stood between them in the source.
 */
import type { CallPart, ResultPart, Turn } from '../../model/conversation.ts'
import { reportResidue } from '../../model/residue.ts'
import type { AdaptContext } from './context.ts'

export function groupTurns(turns: readonly Turn[], context: AdaptContext): Turn[] {
  if (context.sameWire) return [...turns]
  const grouped = placeResults(mergeAssistantTurns(turns.flatMap(turn => homogeneous(turn, context))))
  switch (context.profile.results) {
    case 'one per turn':
      return grouped.flatMap(turn =>
        turn.role === 'tool' ? turn.parts.map(part => ({ ...turn, parts: [part] })) : [turn],
      )
    case 'with the user':
      return answerAsUser(grouped)
    case 'anywhere':
      return grouped
  }
}

/**
 * Results in a user's message become a turn of their own, before what the user says with them. What only the
 * source wire could say of a message is reported here, because a regrouped turn stands for several of them.
 */
function homogeneous({ residue, ...turn }: Turn, { report }: AdaptContext): Turn[] {
  reportResidue(residue, report)
  const results = turn.parts.filter(part => part.kind === 'result')
  if (results.length === 0) return [turn]
  const others = turn.parts.filter(part => part.kind !== 'result')
  const answers: Turn = { role: 'tool', parts: results, root: turn.root }
  return others.length === 0 ? [answers] : [answers, { ...turn, parts: others }]
}

function mergeAssistantTurns(turns: readonly Turn[]): Turn[] {
  return joinRuns(turns, (turn, last) => turn.role === 'assistant' && last.role === 'assistant')
}

/** Makes one turn of each run of turns that belong together, copying each part once. */
function joinRuns(turns: readonly Turn[], belongs: (turn: Turn, last: Turn) => boolean): Turn[] {
  const runs: Turn[][] = []
  for (const turn of turns) {
    const last = runs.at(-1)?.at(-1)
    if (last !== undefined && belongs(turn, last)) runs.at(-1)?.push(turn)
    else runs.push([turn])
  }
  return runs.flatMap(([first, ...more]) => {
    if (first === undefined || more.length === 0) return first === undefined ? [] : [first]
    const { plain: _, ...rest } = first
    return [{ ...rest, parts: [first, ...more].flatMap(({ parts }) => parts) }]
  })
}

/** Moves every result behind the turn that called for it; a result nobody called for stays where it is. */
function placeResults(turns: readonly Turn[]): Turn[] {
  const results = new Map<string, ResultPart>()
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (part.kind === 'result' && part.callId !== undefined) results.set(part.callId, part)
  }
  const moved = new Set<ResultPart>()
  const answersOf = (turn: Turn): Turn[] => {
    const calls = turn.parts.filter((part): part is CallPart => part.kind === 'call')
    const answers = calls.flatMap(({ id }) => {
      const result = id === undefined ? undefined : results.get(id)
      return result === undefined || moved.has(result) ? [] : [result]
    })
    for (const answer of answers) moved.add(answer)
    return answers.length === 0 ? [] : [{ role: 'tool', parts: answers, root: turn.root }]
  }
  const placed = turns.map(turn => [turn, ...answersOf(turn)])
  return placed.flatMap(([turn, ...answers]) => {
    if (turn?.role !== 'tool') return turn === undefined ? [] : [turn, ...answers]
    const left = turn.parts.filter(part => part.kind !== 'result' || !moved.has(part))
    return left.length === 0 ? [] : [{ ...turn, parts: left }]
  })
}

/** Where results are blocks of a user's message, they open it, and what the user says follows in the same one. */
function answerAsUser(turns: readonly Turn[]): Turn[] {
  let answering = false
  const joined = joinRuns(turns, (turn, last) => {
    answering = last.role === 'tool' || (answering && last.role === 'user')
    return answering && (turn.role === 'user' || turn.role === 'tool')
  })
  return joined.map(turn => (turn.role === 'tool' ? { ...turn, role: 'user' } : turn))
}
