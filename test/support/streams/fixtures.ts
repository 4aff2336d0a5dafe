/** The answers under `fixtures/answers` as the streams that their own wire would send. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Part } from '../../../packages/core/src/model/conversation.ts'
import { createReport } from '../../../packages/core/src/model/diagnostic.ts'
import type { StreamEvent } from '../../../packages/core/src/model/stream-event.ts'
import { builtInConversations } from '../../../packages/core/src/wires/registry.ts'
import type { ConversationFixture } from '../fixtures/conversations.ts'
import { conversationFixtures } from '../fixtures/conversations.ts'

export const pinned: { newId(prefix: string): string; now(): number } = (() => {
  let count = 0
  return { newId: (prefix: string) => `${prefix}${++count}`, now: () => 1_700_000_000 }
})()

export interface StreamFixture extends ConversationFixture {
  /** The wire's own text of the answer, piece by piece. */
  readonly events: readonly string[]
}

/** Whole answers that end well, or at least end; errors before any answer are no streams. */
export const streamFixtures: readonly StreamFixture[] = conversationFixtures('answers')
  .filter(({ body }) => body.error === undefined || body.error === null)
  .filter(({ story }) => !story.startsWith('error'))
  .map(fixture => ({ ...fixture, events: streamOf(fixture.wire, fixture.body) }))

function streamOf(wire: Wire, body: Record<string, unknown>): string[] {
  const { report } = createReport()
  const { turns, finish, usage, ...head } = builtInConversations[wire].decodeAnswer(body, report)
  const { residue: _, error: __, ...start } = head
  const encoder = builtInConversations[wire].createStreamEncoder(
    { ...pinned, request: { stream_options: { include_usage: true } } },
    report,
  )
  const events: StreamEvent[] = [
    { type: 'start', ...start },
    ...turns.flatMap(({ parts }) => parts).flatMap(speak),
    { type: 'finish', finish, ...(usage !== undefined && { usage }) },
  ]
  return events.map(event => encoder.push(event)).filter(text => text !== '')
}

/** A part, said in pieces of three characters. */
function speak(part: Part, index: number): StreamEvent[] {
  const pieces = (text: string): string[] => text.match(/[\s\S]{1,3}/g) ?? []
  const deltas = (): StreamEvent[] => {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return pieces(part.text).map(text => ({ type: 'part-delta', index, text }))
      case 'call':
        return pieces(part.input).map(text => ({ type: 'part-delta', index, text }))
      case 'reasoning':
        return [
          ...part.summary.flatMap((text, section) =>
            pieces(text).map<StreamEvent>(piece => ({
              type: 'part-delta',
              index,
              text: piece,
              summary: true,
              section,
            })),
          ),
          ...part.text.flatMap((text, section) =>
            pieces(text).map<StreamEvent>(piece => ({ type: 'part-delta', index, text: piece, section })),
          ),
        ]
      default:
        return []
    }
  }
  return [{ type: 'part-start', index, part: silent(part) }, ...deltas(), { type: 'part-end', index, part }]
}

function silent(part: Part): Part {
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
