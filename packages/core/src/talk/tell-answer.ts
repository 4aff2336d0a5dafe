/** An answer that came whole, as the events a stream would have told it with. */
import type { Answer } from '../model/answer.ts'
import type { Part } from '../model/conversation.ts'
import { compact } from '../model/json.ts'
import type { PartDeltaEvent, StreamEvent } from '../model/stream-event.ts'

export function* eventsOf(answer: Answer): Generator<StreamEvent, void> {
  const { id, model, createdAt, turns, finish, usage, error } = answer
  yield { type: 'start', ...compact({ id, model, createdAt }) }
  let index = 0
  for (const part of turns.flatMap(({ parts }) => parts)) {
    yield { type: 'part-start', index, part: emptied(part) }
    yield* deltasOf(part, index)
    yield { type: 'part-end', index, part }
    index++
  }
  if (error === undefined) yield { type: 'finish', finish, ...compact({ usage }) }
  else yield { type: 'error', error }
}

function emptied(part: Part): Part {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { ...part, text: '' }
    case 'call':
      return { ...part, input: '' }
    case 'reasoning':
      return { ...part, summary: [], text: [] }
    default:
      return part
  }
}

function* deltasOf(part: Part, index: number): Generator<PartDeltaEvent, void> {
  if (part.kind === 'text' || part.kind === 'refusal') yield* delta(index, part.text)
  if (part.kind === 'call') yield* delta(index, part.input)
  if (part.kind !== 'reasoning') return
  for (const [section, text] of part.summary.entries()) yield* delta(index, text, { summary: true, section })
  for (const [section, text] of part.text.entries()) yield* delta(index, text, { section })
}

function* delta(
  index: number,
  text: string,
  place: { summary?: boolean; section?: number } = {},
): Generator<PartDeltaEvent, void> {
  if (text !== '') yield { type: 'part-delta', index, text, ...place }
}
