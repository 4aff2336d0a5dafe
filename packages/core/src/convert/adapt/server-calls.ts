/**
 * Calls of earlier answers that somebody in the middle ran, which the client was told of as calls its provider ran.
 * The upstream made them as calls of functions and gets them back as such, with their results.
 */

import type { Part, Turn } from '../../model/conversation.ts'
import type { DecodedServerCall, ServerToolCalls } from '../../wires/define-wire.ts'
import type { AdaptContext } from './context.ts'
import { flatMapShared } from './shared-lists.ts'

export function readRunCalls(
  turns: readonly Turn[],
  calls: ServerToolCalls | undefined,
  /** The MCP servers whose tools are run here. */
  servers: ReadonlySet<string>,
  context: AdaptContext,
): readonly Turn[] {
  if (calls === undefined) return turns
  const isOurs = ({ server, foreign }: DecodedServerCall): boolean =>
    foreign || (server !== undefined && servers.has(server))
  return flatMapShared(turns, turn => {
    if (turn.role !== 'assistant' || !turn.parts.some(isHosted)) return turn
    const read = calls.decode(turn.parts)
    const parts = flatMapShared<Part>(turn.parts, part => {
      const run = read.get(part)
      // On its own wire what the provider ran itself is best left as the provider knows it.
      if (run === undefined || (context.sameWire && !isOurs(run))) return part
      // What only tells whose tool it was is known here.
      return isOurs(run) ? run.parts.map(({ residue: _, ...rest }) => rest) : run.parts
    })
    return parts === turn.parts && !parts.some(isResult) ? turn : split({ ...turn, parts }, context)
  })
}

function isHosted({ kind }: Part): boolean {
  return kind === 'hosted'
}

function isResult({ kind }: Part): boolean {
  return kind === 'result'
}

/** Results are no part of what a model says: each run of them is a turn of its own. */
function split(turn: Turn, { source }: AdaptContext): Turn[] {
  const answers = source.results === 'with the user' ? 'user' : 'tool'
  const groups: { isAnswer: boolean; parts: Part[] }[] = []
  for (const part of turn.parts) {
    const isAnswer = isResult(part)
    const last = groups.at(-1)
    if (last?.isAnswer === isAnswer) last.parts.push(part)
    else groups.push({ isAnswer, parts: [part] })
  }
  if (!groups.some(({ isAnswer }) => isAnswer)) return [turn]
  const { plain: _, residue, ...rest } = turn
  let isFirst = true
  return groups.map(({ isAnswer, parts }) => {
    if (isAnswer) return { role: answers, parts, root: turn.root }
    const kept = isFirst && residue !== undefined ? { residue } : {}
    isFirst = false
    return { ...rest, ...kept, parts }
  })
}
