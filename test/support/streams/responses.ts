/** Helpers for Responses streams: events to text and back, and random streams of both kinds. */
import fc from 'fast-check'
import type { JsonObject } from '../../../packages/core/src/json/object.ts'
import type { Usage } from '../../../packages/core/src/model/answer.ts'
import type { CallPart, Part } from '../../../packages/core/src/model/conversation.ts'
import type { Diagnostic } from '../../../packages/core/src/model/diagnostic.ts'
import { createReport } from '../../../packages/core/src/model/diagnostic.ts'
import { foldEvents } from '../../../packages/core/src/model/fold-events.ts'
import type { StreamEvent } from '../../../packages/core/src/model/stream-event.ts'
import type { SseFrame } from '../../../packages/core/src/sse/sse-parser.ts'
import { createSseParser } from '../../../packages/core/src/sse/sse-parser.ts'
import { responsesConversation } from '../../../packages/core/src/wires/responses/conversation.ts'

interface Written {
  readonly text: string
  readonly diagnostics: Diagnostic[]
}

export function encodeStream(events: Iterable<StreamEvent>, request?: JsonObject): Written {
  const { report, diagnostics } = createReport()
  let count = 0
  const context = {
    newId: (prefix: string) => `${prefix}${++count}`,
    now: () => 1000,
    ...(request && { request }),
  }
  const encoder = responsesConversation.createStreamEncoder(context, report)
  return { text: [...events].map(event => encoder.push(event)).join(''), diagnostics }
}

/** The text cut into pieces of these lengths, in turn. */
export function decodeStream(text: string, cuts: readonly number[] = [text.length || 1]): StreamEvent[] {
  const parser = createSseParser()
  const frames: SseFrame[] = []
  for (let at = 0, i = 0; at < text.length; i++) {
    const end = at + (cuts[i % cuts.length] ?? 1)
    frames.push(...parser.push(text.slice(at, end)))
    at = end
  }
  return decodeFrames([...frames, ...parser.end()]).events
}

export function decodeFrames(frames: readonly SseFrame[]): {
  events: StreamEvent[]
  diagnostics: Diagnostic[]
} {
  const { report, diagnostics } = createReport()
  const decoder = responsesConversation.createStreamDecoder(report)
  return { events: [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()], diagnostics }
}

/** Frames of these objects, each under the name of its type. */
export function framesOf(...objects: readonly JsonObject[]): SseFrame[] {
  return objects.map(object => ({ event: String(object.type), data: JSON.stringify(object) }))
}

/** The JSON of a text's frames, `[DONE]` left out. */
export function dataOf(text: string): JsonObject[] {
  const parser = createSseParser()
  return [...parser.push(text), ...parser.end()]
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as JsonObject)
}

export const created = { type: 'response.created', response: { id: 'resp_1', model: 'm', created_at: 7 } }
export const completed = (...output: JsonObject[]): JsonObject => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', output },
})
export const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'w', arguments: '' }
export const added = (item: JsonObject, output_index?: number): JsonObject => ({
  type: 'response.output_item.added',
  item,
  output_index,
})
export const itemDone = (item: JsonObject, output_index?: number): JsonObject => ({
  type: 'response.output_item.done',
  item,
  output_index,
})
export const write = (
  delta: string,
  where: JsonObject = { item_id: 'fc_1', output_index: 0 },
): JsonObject => ({
  type: 'response.function_call_arguments.delta',
  delta,
  ...where,
})

export const read = (...objects: JsonObject[]): StreamEvent[] => decodeFrames(framesOf(...objects)).events
export const partsOf = (events: readonly StreamEvent[]): Part[] =>
  foldEvents(events).turns.flatMap(({ parts }) => [...parts])
export const deltasOf = (events: readonly StreamEvent[]): string[] =>
  events.flatMap(event => (event.type === 'part-delta' ? [event.text] : []))

const path = ['choices', 0, 'message']
const word = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('', 'é\u2028\n"\\', '\ud800', '{"a":1}'))
/** A complete object said twice in a call counts as one: hosts repeat the arguments at the end. */
const callPieces = fc
  .array(fc.oneof(word, fc.constant('{}')), { maxLength: 4 })
  .map(texts => texts.map((text, i) => ({ text: `${text}${i}` })))
const name = fc.stringMatching(/^[a-z_]{1,6}$/)

/** A part, and the pieces it is said in. */
interface Spoken {
  readonly part: Part
  readonly pieces: readonly { text: string; summary?: boolean; section?: number }[]
}

const pieces = fc.array(word, { maxLength: 4 }).map(texts => texts.map(text => ({ text })))
const joined = (said: readonly { text: string }[]): string => said.map(({ text }) => text).join('')

const spokenText: fc.Arbitrary<Spoken> = fc
  .tuple(pieces, fc.constantFrom('text' as const, 'refusal' as const), fc.boolean())
  .map(([said, kind, cited]) => {
    const text = joined(said)
    if (kind === 'refusal' || !cited) return { part: { kind, text, path }, pieces: said }
    const citation = { url: 'https://x.test', title: 't', start: 0, end: text.length, path }
    return { part: { kind, text, path, citations: [citation] }, pieces: said }
  })

const spokenCall: fc.Arbitrary<Spoken> = fc
  .tuple(
    callPieces,
    fc.constantFrom('function' as const, 'custom' as const),
    name,
    fc.constantFrom<CallPart['status'][]>(undefined, 'completed', 'incomplete'),
  )
  .map(([said, form, called, status]) => ({
    part: { kind: 'call', form, name: called, id: '', input: joined(said), path, ...(status && { status }) },
    pieces: said,
  }))

const spokenReasoning: fc.Arbitrary<Spoken> = fc
  .array(
    fc.array(
      word.filter(text => text !== ''),
      { minLength: 1, maxLength: 3 },
    ),
    { maxLength: 3 },
  )
  .map(sections => ({
    part: { kind: 'reasoning', summary: sections.map(texts => texts.join('')), text: [], path },
    pieces: sections.flatMap((texts, section) => texts.map(text => ({ text, summary: true, section }))),
  }))

const spoken: fc.Arbitrary<Spoken> = fc.oneof(spokenText, spokenCall, spokenReasoning)

const usage: fc.Arbitrary<Usage> = fc.record({
  input: fc.nat(),
  output: fc.nat(),
  cacheRead: fc.nat(),
  cacheWrite: fc.nat(),
  reasoning: fc.nat(),
})

const ending: fc.Arbitrary<StreamEvent> = fc.oneof(
  usage.map((counted): StreamEvent => ({ type: 'finish', finish: { reason: 'stop' }, usage: counted })),
  fc.constant<StreamEvent>({ type: 'finish', finish: { reason: 'length' } }),
  fc.constant<StreamEvent>({ type: 'error', error: { kind: 'overloaded', message: 'busy' } }),
)

/** Streams whose parts come one after the other, or in one another's way. */
export const eventStream: fc.Arbitrary<StreamEvent[]> = fc
  .tuple(fc.array(spoken, { maxLength: 5 }), fc.array(fc.nat({ max: 3 }), { minLength: 1 }), ending)
  .map(([list, order, last]) => {
    const said = list.map(({ part, pieces: texts }, i): Spoken => {
      return { part: part.kind === 'call' ? { ...part, id: `call_${i}` } : part, pieces: texts }
    })
    return [{ type: 'start', id: 'resp_1', model: 'm', createdAt: 7 }, ...interleave(said, order), last]
  })

/** The parts' events, each time the next of one of the parts that `order` allows to be open. */
function interleave(list: readonly Spoken[], order: readonly number[]): StreamEvent[] {
  const rows = list.map((_, index) => eventsOf(list, index))
  const events: StreamEvent[] = []
  let begun = 0
  for (let turn = 0; rows.some(row => row.length > 0); turn++) {
    const pick = (order[turn % order.length] ?? 0) + rows.findIndex(row => row.length > 0)
    // A part begins only after the one before it has.
    const at = Math.min(pick, begun, rows.length - 1)
    const next = rows[at]?.shift() ?? rows.find(row => row.length > 0)?.shift()
    if (next?.type === 'part-start') begun++
    if (next !== undefined) events.push(next)
  }
  return events
}

function eventsOf(list: readonly Spoken[], index: number): StreamEvent[] {
  const spokenPart = list[index]
  if (spokenPart === undefined) return []
  const { part, pieces: texts } = spokenPart
  return [
    { type: 'part-start', index, part: emptied(part) },
    ...texts.map((piece): StreamEvent => ({ type: 'part-delta', index, ...piece })),
    { type: 'part-end', index, part },
  ]
}

function emptied(part: Part): Part {
  switch (part.kind) {
    case 'call':
      return { ...part, input: '' }
    case 'reasoning':
      return { ...part, summary: [], text: [] }
    case 'text':
    case 'refusal':
      return { kind: part.kind, text: '', path: part.path }
    default:
      return part
  }
}
