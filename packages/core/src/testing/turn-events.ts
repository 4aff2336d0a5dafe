/** Turns an answer into the events of its stream, with its texts cut into deltas. */
import { compact } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import type { Part } from '../model/conversation.ts'
import type { StreamEvent } from '../model/stream-event.ts'

interface DeltaPieces {
  /** Characters in each delta. */
  readonly text: number
  /** The deltas of several calls alternate. */
  readonly interleave: boolean
}

export function eventsOf(answer: Answer, pieces: DeltaPieces): StreamEvent[] {
  const { turns, finish, usage, id, model, createdAt } = answer
  const streams = turns.flatMap(turn => turn.parts).map((part, index) => partStream(part, index, pieces.text))
  const isCall = (stream: PartStream): boolean => stream.part.kind === 'call'
  const contents = streams.filter(stream => !isCall(stream)).flatMap(inOrder)
  const calls = streams.filter(isCall)
  const callEvents = pieces.interleave ? interleave(calls) : calls.flatMap(inOrder)
  return [
    { type: 'start', ...compact({ id, model, createdAt }) },
    ...contents,
    ...callEvents,
    { type: 'finish', finish, ...compact({ usage }) },
  ]
}

interface PartStream {
  readonly part: Part
  readonly start: StreamEvent
  readonly deltas: readonly StreamEvent[]
  readonly end: StreamEvent
}

function partStream(part: Part, index: number, size: number): PartStream {
  const deltas = textsOf(part).flatMap(({ text, ...target }) =>
    cutText(text, size).map((piece): StreamEvent => ({ type: 'part-delta', index, text: piece, ...target })),
  )
  return {
    part,
    start: { type: 'part-start', index, part: withoutText(part) },
    deltas,
    end: { type: 'part-end', index, part },
  }
}

const inOrder = ({ start, deltas, end }: PartStream): StreamEvent[] => [start, ...deltas, end]

/** All starts, then one delta of each in turn, then all ends. */
function interleave(streams: readonly PartStream[]): StreamEvent[] {
  const longest = Math.max(0, ...streams.map(({ deltas }) => deltas.length))
  const rounds = Array.from({ length: longest }, (_, round) =>
    streams.flatMap(({ deltas }) => deltas[round] ?? []),
  )
  return [...streams.map(({ start }) => start), ...rounds.flat(), ...streams.map(({ end }) => end)]
}

interface DeltaText {
  readonly text: string
  readonly summary?: boolean
  readonly section?: number
}

function textsOf(part: Part): DeltaText[] {
  if (part.kind === 'text' || part.kind === 'refusal') return [{ text: part.text }]
  if (part.kind === 'call') return [{ text: part.input }]
  if (part.kind !== 'reasoning') return []
  return [
    ...part.summary.map((text, section) => ({ text, summary: true, section })),
    ...part.text.map((text, section) => ({ text, section })),
  ]
}

function withoutText(part: Part): Part {
  if (part.kind === 'text' || part.kind === 'refusal') return { ...part, text: '' }
  if (part.kind === 'call') return { ...part, input: '', status: 'in_progress' }
  return part.kind === 'reasoning' ? { ...part, summary: [], text: [] } : part
}

/** By code points: no server splits a surrogate pair between two deltas. */
function cutText(text: string, size: number): string[] {
  const characters = Array.from(text)
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, i) => characters.slice(i * size, (i + 1) * size).join(''))
}
