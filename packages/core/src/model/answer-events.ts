/** Turns a complete answer into the events of a stream. */

import { compact } from '../json/object.ts'
import type { Answer } from './answer.ts'
import type { Part } from './conversation.ts'
import type { PartDeltaEvent, StreamEvent } from './stream-event.ts'

export function* answerEvents(answer: Answer): Generator<StreamEvent, void> {
  const { id, model, createdAt, turns, finish, usage, residue, serviceTier } = answer
  const error =
    answer.error ??
    (finish.reason === 'failed' ? { kind: 'server' as const, message: 'The answer failed.' } : undefined)
  yield { type: 'start', ...compact({ id, model, createdAt }) }
  let index = 0
  for (const part of turns.flatMap(({ parts }) => parts)) yield* partEvents(part, index++)
  if (error === undefined) yield { type: 'finish', finish, ...compact({ usage, residue, serviceTier }) }
  else yield { type: 'error', error }
}

/** All events of a part that is already complete. */
export function* partEvents(
  part: Part,
  index: number,
  empty: Part = emptyPart(part),
): Generator<StreamEvent, void> {
  yield { type: 'part-start', index, part: empty }
  yield* deltas(part, index)
  yield { type: 'part-end', index, part }
}

/** The part as its `part-start` event has it: without content. */
export function emptyPart(part: Part): Part {
  switch (part.kind) {
    case 'text': {
      const { citations: _, logprobs: __, ...rest } = part
      return { ...rest, text: '' }
    }
    case 'refusal':
      return { ...part, text: '' }
    case 'call':
      return { ...part, input: '' }
    case 'reasoning': {
      const { seal: _, ...rest } = part
      return { ...rest, summary: [], text: [] }
    }
    default:
      return part
  }
}

function deltas(part: Part, index: number): PartDeltaEvent[] {
  const delta = (text: string, position: Partial<PartDeltaEvent> = {}): PartDeltaEvent[] =>
    text === '' ? [] : [{ type: 'part-delta', index, text, ...position }]
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return delta(part.text)
    case 'call':
      return delta(part.input)
    case 'reasoning':
      return [
        ...part.summary.flatMap((text, section) => delta(text, { summary: true, section })),
        ...part.text.flatMap((text, section) => delta(text, { summary: false, section })),
      ]
    default:
      return []
  }
}
