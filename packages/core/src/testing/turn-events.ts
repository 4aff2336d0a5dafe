/** An answer as the events of its stream, its texts cut into deltas. */

import { compact } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import type { Part } from '../model/conversation.ts'
import type { StreamEvent } from '../model/stream-event.ts'

interface DeltaPieces {
  /** Characters in each delta. */
  readonly text: number
  /** Calls of one turn grow beside each other instead of one after the other. */
  readonly interleave: boolean
}

export function eventsOf(answer: Answer, pieces: DeltaPieces): StreamEvent[] {
  const { turns, finish, usage, id, model, createdAt } = answer
  const lanes = turns.flatMap(turn => turn.parts).map((part, index) => laneOf(part, index, pieces.text))
  const isCall = (lane: Lane): boolean => lane.part.kind === 'call'
  const spoken = lanes.filter(lane => !isCall(lane)).flatMap(inOrder)
  const calls = lanes.filter(isCall)
  const called = pieces.interleave ? beside(calls) : calls.flatMap(inOrder)
  return [
    { type: 'start', ...compact({ id, model, createdAt }) },
    ...spoken,
    ...called,
    { type: 'finish', finish, ...compact({ usage }) },
  ]
}

interface Lane {
  readonly part: Part
  readonly start: StreamEvent
  readonly deltas: readonly StreamEvent[]
  readonly end: StreamEvent
}

function laneOf(part: Part, index: number, size: number): Lane {
  const deltas = textsOf(part).flatMap(({ text, ...place }) =>
    cutText(text, size).map((piece): StreamEvent => ({ type: 'part-delta', index, text: piece, ...place })),
  )
  return {
    part,
    start: { type: 'part-start', index, part: emptied(part) },
    deltas,
    end: { type: 'part-end', index, part },
  }
}

const inOrder = ({ start, deltas, end }: Lane): StreamEvent[] => [start, ...deltas, end]

/** All begin, then each says a piece in turn, then all end. */
function beside(lanes: readonly Lane[]): StreamEvent[] {
  const longest = Math.max(0, ...lanes.map(({ deltas }) => deltas.length))
  const rounds = Array.from({ length: longest }, (_, round) =>
    lanes.flatMap(({ deltas }) => deltas[round] ?? []),
  )
  return [...lanes.map(({ start }) => start), ...rounds.flat(), ...lanes.map(({ end }) => end)]
}

interface Growing {
  readonly text: string
  readonly summary?: boolean
  readonly section?: number
}

function textsOf(part: Part): Growing[] {
  if (part.kind === 'text' || part.kind === 'refusal') return [{ text: part.text }]
  if (part.kind === 'call') return [{ text: part.input }]
  if (part.kind !== 'reasoning') return []
  return [
    ...part.summary.map((text, section) => ({ text, summary: true, section })),
    ...part.text.map((text, section) => ({ text, section })),
  ]
}

function emptied(part: Part): Part {
  if (part.kind === 'text' || part.kind === 'refusal') return { ...part, text: '' }
  if (part.kind === 'call') return { ...part, input: '', status: 'in_progress' }
  return part.kind === 'reasoning' ? { ...part, summary: [], text: [] } : part
}

/** By code points: no server sends half a character as a text of its own. */
function cutText(text: string, size: number): string[] {
  const characters = Array.from(text)
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, i) => characters.slice(i * size, (i + 1) * size).join(''))
}
