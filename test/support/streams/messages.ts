/** Helpers for Messages streams: events to text and back, random values, and hand-written frames. */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { JsonObject } from '../../../packages/core/src/json/object.ts'
import type { Answer } from '../../../packages/core/src/model/answer.ts'
import { createReport } from '../../../packages/core/src/model/diagnostic.ts'
import { foldEvents } from '../../../packages/core/src/model/fold-events.ts'
import type { StreamEvent } from '../../../packages/core/src/model/stream-event.ts'
import type { SseFrame } from '../../../packages/core/src/sse/sse-parser.ts'
import { createSseParser } from '../../../packages/core/src/sse/sse-parser.ts'
import { messagesConversation } from '../../../packages/core/src/wires/messages/conversation.ts'

export function encodeAll(events: readonly StreamEvent[]): string[] {
  let made = 0
  const context = { newId: (prefix: string) => `${prefix}${++made}`, now: () => 0 }
  const encoder = messagesConversation.createStreamEncoder(context, createReport().report)
  return events.map(event => encoder.push(event))
}

export function decodeFrames(frames: readonly SseFrame[]): StreamEvent[] {
  const decoder = messagesConversation.createStreamDecoder(createReport().report)
  return [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
}

export function decodeText(pieces: readonly string[]): StreamEvent[] {
  const parser = createSseParser()
  return decodeFrames([...pieces.flatMap(piece => parser.push(piece)), ...parser.end()])
}

/** What the model says, without where it stood and what only one wire knows. */
export function essence(answer: Answer): unknown {
  const { turns, finish, usage, error } = answer
  const parts = turns.flatMap(turn => turn.parts)
  const bare = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value, (key, inner: unknown) =>
        ['path', 'residue', 'raw'].includes(key) ? undefined : inner,
      ),
    )
  return bare({ parts, finish, usage, error })
}

/** The order every decoder must keep. */
export function expectOrder(events: readonly StreamEvent[]): void {
  expect(events[0]?.type).toBe('start')
  const open = new Map<number, string[]>()
  let parts = 0
  for (const [i, event] of events.entries()) {
    const isLast = i === events.length - 1
    expect(event.type === 'finish' || event.type === 'error').toBe(isLast)
    expect(event.type === 'start').toBe(i === 0)
    if (event.type === 'part-start') {
      expect(event.index).toBe(parts++)
      open.set(event.index, [])
    } else if (event.type === 'part-delta') {
      expect(open.has(event.index)).toBe(true)
      open.get(event.index)?.push(event.text)
    } else if (event.type === 'part-end') {
      const said = open.get(event.index)?.join('')
      const { part } = event
      if (part.kind === 'text') expect(said).toBe(part.text)
      if (part.kind === 'call') expect(said).toBe(part.input)
      expect(open.delete(event.index)).toBe(true)
    }
  }
  expect(open.size).toBe(0)
}

export const word = fc.string({ unit: 'grapheme', maxLength: 12 })
export const shown = word.map(text => `${text}.`)
export const args = fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
export const cuts = fc.array(fc.nat({ max: 40 }), { maxLength: 5 })

export function cutUp(text: string, at: readonly number[]): string[] {
  const places = [...new Set(at.map(place => Math.min(place, text.length)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => text.slice(from, places[i] ?? text.length))
}

export function createDecoder() {
  const { report, diagnostics } = createReport()
  const decoder = messagesConversation.createStreamDecoder(report)
  const push = (frame: JsonObject) =>
    decoder.push({
      data: JSON.stringify(frame),
      ...(typeof frame.type === 'string' && { event: frame.type }),
    })
  return { decoder, push, diagnostics }
}

/** Frames given as objects: the events, what they add up to, and what was reported. */
export function decode(frames: readonly JsonObject[]) {
  const { decoder, push, diagnostics } = createDecoder()
  const events = [...frames.flatMap(push), ...decoder.end()]
  const answer = foldEvents(events)
  return { events, answer, diagnostics, parts: answer.turns.flatMap(turn => turn.parts) }
}

export const head = { type: 'message_start', message: { id: 'msg_1', model: 'm', content: [], usage: {} } }
export const start = (index: number | undefined, content_block: JsonObject) => ({
  type: 'content_block_start',
  index,
  content_block,
})
export const use = (id: string, name = 'look') => ({ type: 'tool_use', id, name, input: {} })
export const delta = (index: number | undefined, type: string, field: string, value: unknown) => ({
  type: 'content_block_delta',
  index,
  delta: { type, [field]: value },
})
export const says = (index: number | undefined, text: string) => delta(index, 'text_delta', 'text', text)
export const writes = (index: number | undefined, text: string) =>
  delta(index, 'input_json_delta', 'partial_json', text)
export const stop = (index?: number) => ({ type: 'content_block_stop', index })
export const ends = (stop_reason: string | null = 'end_turn', usage: JsonObject = { output_tokens: 3 }) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
})
export const last = { type: 'message_stop' }
export const tail = [ends(), last]
export const call = (id: string, input: string) =>
  expect.objectContaining({ kind: 'call', name: 'look', id, input })
