/** Helpers for Chat streams: events to text and back, and hand-written frames. */
import { expect } from 'vitest'
import type { Answer } from '../../../packages/core/src/model/answer.ts'
import type { CallPart, Part } from '../../../packages/core/src/model/conversation.ts'
import type { Diagnostic } from '../../../packages/core/src/model/diagnostic.ts'
import { createReport } from '../../../packages/core/src/model/diagnostic.ts'
import { foldEvents } from '../../../packages/core/src/model/fold-events.ts'
import type { StreamEvent } from '../../../packages/core/src/model/stream-event.ts'
import type { SseFrame } from '../../../packages/core/src/sse/sse-parser.ts'
import { chatConversation } from '../../../packages/core/src/wires/chat/conversation.ts'

const context = {
  newId: (prefix: string) => `${prefix}new`,
  now: () => 99,
  request: { model: 'asked', stream_options: { include_usage: true } },
}

export function encode(events: readonly StreamEvent[]): string {
  const encoder = chatConversation.createStreamEncoder(context, createReport().report)
  return events.map(event => encoder.push(event)).join('')
}

/** The events alone. */
export function decode(frames: readonly SseFrame[]): StreamEvent[] {
  const decoder = chatConversation.createStreamDecoder(createReport().report)
  return [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
}

/** The order every decoder owes its readers. */
export function expectOrder(events: readonly StreamEvent[]): void {
  const open = new Set<number>()
  let next = 0
  expect(events[0]?.type).toBe('start')
  events.forEach((event, i) => {
    expect(event.type === 'start').toBe(i === 0)
    expect(event.type === 'finish' || event.type === 'error').toBe(i === events.length - 1)
    if (event.type === 'part-start') {
      expect(event.index).toBe(next++)
      open.add(event.index)
    } else if (event.type === 'part-delta') expect(open.has(event.index)).toBe(true)
    else if (event.type === 'part-end') expect(open.delete(event.index)).toBe(true)
  })
  expect(open.size).toBe(0)
}

export interface Decoded {
  readonly events: StreamEvent[]
  readonly answer: Answer
  readonly parts: readonly Part[]
  readonly calls: readonly (readonly [id: string | undefined, name: string, input: string])[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The events, what they add up to, and what was reported; what is said of each call is held to its end. */
export function decodeFrames(frames: readonly SseFrame[]): Decoded {
  const { report, diagnostics } = createReport()
  const decoder = chatConversation.createStreamDecoder(report)
  const events = [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
  const answer = foldEvents(events)
  const parts = answer.turns.flatMap(turn => turn.parts)
  const calls = parts.filter((part): part is CallPart => part.kind === 'call')
  // The deltas of every part say the same as its end.
  for (const [index, part] of parts.entries()) {
    const said = events.flatMap(event =>
      event.type === 'part-delta' && event.index === index ? event.text : [],
    )
    if (part.kind === 'call') expect(said.join('')).toBe(part.input)
  }
  return {
    events,
    answer,
    parts,
    calls: calls.map(({ id, name, input }) => [id, name, input]),
    diagnostics,
  }
}

export const json = (value: unknown): SseFrame => ({ data: JSON.stringify(value) })
export const done: SseFrame = { data: '[DONE]' }
export const chunk = (delta: unknown, finish_reason: string | null = null): SseFrame =>
  json({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })
export const ended = (reason = 'tool_calls'): SseFrame[] => [chunk({}, reason), done]
export const pieces = (...list: unknown[]): SseFrame => chunk({ tool_calls: list })
export const tc = (index: unknown, id: unknown, name: unknown, args: unknown) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: args },
})
export const more = (index: unknown, args: string) => ({ index, function: { arguments: args } })
