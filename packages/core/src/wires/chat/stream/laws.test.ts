/** The laws of streams on this wire: round trips, any cut of the bytes, equality with the unstreamed answer. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode, encode, expectOrder } from '../../../../../../test/support/streams/chat.ts'
import type { JsonObject } from '../../../json/object.ts'
import type { Answer, FinishReason } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { foldEvents } from '../../../model/fold-events.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import { chatConversation } from '../conversation.ts'

const seeds = fc.infiniteStream(fc.nat({ max: 6 }))
const text = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.constantFrom('é👋', '\u2028"\\', 'data: x\n\n'),
)
const name = fc.stringMatching(/^[a-z_]{1,8}$/)
const json = fc.dictionary(name, fc.jsonValue(), { maxKeys: 3 }).map(value => JSON.stringify(value))

/** Cuts a text into pieces of these sizes. */
function cut(whole: string, sizes: Iterator<number>): string[] {
  const pieces: string[] = []
  for (let at = 0; at < whole.length; ) {
    const size = 1 + (Number(sizes.next().value) || 0)
    pieces.push(whole.slice(at, at + size))
    at += size
  }
  return pieces
}

/** Merges the lists into one, in which each keeps its order. */
function weave<T>(lists: readonly (readonly T[])[], choices: Iterator<number>): T[] {
  const rest = lists.map(list => [...list]).filter(list => list.length > 0)
  const woven: T[] = []
  while (rest.length > 0) {
    const at = (Number(choices.next().value) || 0) % rest.length
    const item = rest[at]?.shift()
    if (item !== undefined) woven.push(item)
    if (rest[at]?.length === 0) rest.splice(at, 1)
  }
  return woven
}

const partsOf = ({ turns }: Answer): readonly Part[] => turns.flatMap(({ parts }) => parts)
const counted = fc.record({ input: fc.nat(), output: fc.nat() })

const plainPart: fc.Arbitrary<Part> = fc.oneof(
  text.map((value): Part => ({ kind: 'text', text: value, path: ['t'] })),
  text.map((value): Part => ({ kind: 'refusal', text: value, path: ['r'] })),
  fc
    .record({ name, input: json })
    .map((call): Part => ({ kind: 'call', form: 'function', ...call, path: ['c'] })),
  fc
    .record({ name, input: text })
    .map((call): Part => ({ kind: 'call', form: 'custom', ...call, path: ['c'] })),
)
const reasoningPart = text.map(
  (value): Part => ({ kind: 'reasoning', summary: [], text: [value], path: ['r'] }),
)

interface Source {
  readonly parts: readonly Part[]
  readonly reason: FinishReason
}

const source: fc.Arbitrary<Source> = fc
  .record({
    reasoning: fc.array(reasoningPart, { maxLength: 1 }),
    others: fc.array(plainPart, { maxLength: 5 }),
    isCut: fc.boolean(),
  })
  .map(({ reasoning, others, isCut }) => {
    const parts = [...reasoning, ...others].map((part, i) =>
      part.kind === 'call' ? { ...part, id: `c${i}` } : part,
    )
    const has = (kind: Part['kind']) => parts.some(part => part.kind === kind)
    const last = parts.findLastIndex(part => part.kind === 'call')
    const call = parts[last]
    if (isCut && call?.kind === 'call') parts[last] = { ...call, status: 'incomplete' }
    return { parts, reason: isCut ? 'length' : has('call') ? 'calls' : has('refusal') ? 'refusal' : 'stop' }
  })

/** One part as events, cut into deltas. */
function speak(part: Part, index: number, sizes: Iterator<number>): StreamEvent[] {
  const whole = part.kind === 'call' ? part.input : 'text' in part ? [part.text].flat().join('') : ''
  const empty = {
    ...part,
    ...(part.kind === 'call' ? { input: '' } : { text: part.kind === 'reasoning' ? [] : '' }),
  }
  return [
    { type: 'part-start', index, part: empty as Part },
    ...cut(whole, sizes).map((piece): StreamEvent => ({ type: 'part-delta', index, text: piece })),
    { type: 'part-end', index, part },
  ]
}

/** Assigns the parts their indexes in the order of their starts. */
function renumber(events: readonly StreamEvent[]): StreamEvent[] {
  const indexes = new Map<number, number>()
  return events.map(event => {
    if (!('index' in event)) return event
    const index = indexes.get(event.index) ?? indexes.size
    indexes.set(event.index, index)
    return { ...event, index }
  })
}

const eventStream = fc
  .record({ source, sizes: seeds, order: seeds, usage: counted, isOverlapping: fc.boolean() })
  .map(({ source: { parts, reason }, sizes, order, usage, isOverlapping }) => {
    const lists = parts.map((part, i) => speak(part, i, sizes))
    const woven = isOverlapping ? renumber(weave(lists, order)) : lists.flat()
    const events: StreamEvent[] = [
      { type: 'start', id: 'x', model: 'm', createdAt: 5 },
      ...woven,
      { type: 'finish', finish: { reason }, usage },
    ]
    return events
  })

describe('the Chat stream encoder', () => {
  test('Every chunk is what JSON.stringify would write.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const body = encode(events)
        for (const frame of body.split('\n\n').slice(0, -2)) {
          const data = frame.slice('data: '.length)
          expect(JSON.stringify(JSON.parse(data))).toBe(data)
        }
        expect(body.endsWith('\n\ndata: [DONE]\n\n')).toBe(true)
      }),
    )
  })
})

const logprob = fc.constantFrom({ token: 'a', bytes: [97], logprob: -0.5, top_logprobs: [] })
const annotation = fc.constant({
  type: 'url_citation',
  url_citation: { url: 'u', title: 't', start_index: 0, end_index: 1 },
})
const toolCall = fc.oneof(
  fc.record({ type: fc.constant('function'), function: fc.record({ name, arguments: json }) }),
  fc.record({ type: fc.constant('custom'), custom: fc.record({ name, input: text }) }),
  fc.record({
    type: fc.constant('function'),
    function: fc.record({ name, arguments: json }),
    extra_content: fc.constant({ google: { thought_signature: 's' } }),
  }),
)
const message = fc.record(
  {
    reasoning_content: text,
    content: text,
    annotations: fc.array(annotation, { minLength: 1, maxLength: 2 }),
    refusal: text,
    tool_calls: fc
      .array(toolCall, { minLength: 1, maxLength: 3 })
      .map(calls => calls.map((call, i) => ({ id: `call_${i}`, ...call }))),
  },
  { requiredKeys: [] },
)
const completion = fc.record({
  message,
  finish: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'eos'),
  logprobs: fc.option(fc.array(logprob, { minLength: 1, maxLength: 3 })),
  usage: fc.option(
    fc.record({
      prompt_tokens: fc.nat(),
      completion_tokens: fc.nat(),
      completion_tokens_details: fc.record({ reasoning_tokens: fc.nat() }),
    }),
  ),
  sizes: seeds,
  order: seeds,
})

type Completion = typeof completion extends fc.Arbitrary<infer T> ? T : never

function wholeBody({ message: given, finish, logprobs, usage }: Completion): JsonObject {
  const { annotations, ...rest } = given
  const hasText = given.content !== undefined
  const choice = {
    index: 0,
    message: { role: 'assistant', content: null, refusal: null, ...rest, ...(hasText && { annotations }) },
    finish_reason: finish,
    ...(hasText && logprobs && { logprobs: { content: logprobs } }),
  }
  const head = { id: 'x', object: 'chat.completion', created: 5, model: 'm', service_tier: 'flex' }
  return JSON.parse(JSON.stringify({ ...head, choices: [choice], ...(usage && { usage }) })) as JsonObject
}

/** The same as OpenAI would stream it. */
function chunksOf(body: Completion): SseFrame[] {
  const { message: given, finish, logprobs, usage, sizes, order } = body
  const head = { id: 'x', object: 'chat.completion.chunk', created: 5, model: 'm', service_tier: 'flex' }
  const frame = (choice: JsonObject): SseFrame => ({
    data: JSON.stringify({ ...head, choices: [{ index: 0, finish_reason: null, ...choice }], usage: null }),
  })
  const textFrames = (['reasoning_content', 'content', 'refusal'] as const).flatMap(key => {
    const frames = cut(given[key] ?? '', sizes).map(piece => frame({ delta: { [key]: piece } }))
    if (key !== 'content' || given.content === undefined) return frames
    const probable = (logprobs ?? []).map(one =>
      frame({ delta: {}, logprobs: { content: [one], refusal: null } }),
    )
    const cited =
      given.annotations === undefined ? [] : [frame({ delta: { annotations: given.annotations } })]
    return [...frames, ...probable, ...cited]
  })
  const heads: SseFrame[] = []
  const called = (given.tool_calls ?? []).map((call, index) => {
    const [key, field] =
      'custom' in call ? (['custom', 'input'] as const) : (['function', 'arguments'] as const)
    const inner = (call as JsonObject)[key] as JsonObject
    heads.push(frame({ delta: { tool_calls: [{ ...call, index, [key]: { ...inner, [field]: '' } }] } }))
    return cut(String(inner[field]), sizes).map(piece =>
      frame({ delta: { tool_calls: [{ index, [key]: { [field]: piece } }] } }),
    )
  })
  return [
    frame({ delta: { role: 'assistant', content: '', refusal: null } }),
    ...textFrames,
    ...heads,
    ...weave(called, order),
    frame({ delta: {}, finish_reason: finish }),
    ...(usage ? [{ data: JSON.stringify({ ...head, choices: [], usage }) }] : []),
    { data: '[DONE]' },
  ]
}

describe('the Chat stream decoder', () => {
  test('A stream makes the same answer as the unstreamed body.', () => {
    fc.assert(
      fc.property(completion, body => {
        const whole = chatConversation.decodeAnswer(wholeBody(body), createReport().report)
        const events = decode(chunksOf(body))
        expectOrder(events)
        const folded = foldEvents(events)
        expect(partsOf(folded)).toEqual(partsOf(whole))
        const { turns: _, residue, ...rest } = whole
        expect(folded).toMatchObject(rest)
        expect(folded.residue?.defaults).toContainEqual([['service_tier'], 'flex'])
        expect(residue?.defaults).toContainEqual([['service_tier'], 'flex'])
      }),
    )
  })
})
