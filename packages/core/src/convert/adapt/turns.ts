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
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role !== 'assistant' || turn.role !== 'assistant') merged.push(turn)
    else merged[merged.length - 1] = join(last, turn)
  }
  return merged
}

function join(first: Turn, second: Turn): Turn {
  const { plain: _, ...rest } = first
  return { ...rest, parts: [...first.parts, ...second.parts] }
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
  const merged: Turn[] = []
  let answering = false
  for (const turn of turns) {
    const last = merged.at(-1)
    if (answering && last !== undefined && (turn.role === 'user' || turn.role === 'tool')) {
      merged[merged.length - 1] = join(last, turn)
    } else merged.push(turn.role === 'tool' ? { ...turn, role: 'user' } : turn)
    answering = turn.role === 'tool' || (answering && turn.role === 'user')
  }
  return merged
}
