/** The laws of streams on this wire: round trips, any cut of the bytes, equality with the unstreamed answer. */

import fc from 'fast-check'
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { isObject } from '../../packages/core/src/json/object.ts'
import type { Answer, FinishReason } from '../../packages/core/src/model/answer.ts'
import type { Part } from '../../packages/core/src/model/conversation.ts'
import { createReport } from '../../packages/core/src/model/diagnostic.ts'
import { foldEvents } from '../../packages/core/src/model/fold-events.ts'
import type { StreamEvent } from '../../packages/core/src/model/stream-event.ts'
import { responsesConversation } from '../../packages/core/src/wires/responses/conversation.ts'
import { answer as wholeAnswer } from '../support/arbitraries/responses.ts'
import {
  dataOf,
  decodeFrames,
  decodeStream,
  encodeStream,
  eventStream,
  framesOf,
} from '../support/streams/responses.ts'

const partsOf = ({ turns }: Answer): Part[] => turns.flatMap(({ parts }) => [...parts])

/** Without paths and residue, which only the source wire has. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item) => (key === 'path' || key === 'residue' ? undefined : item)),
  )
}

/** The answer as this wire expresses it: every call has a status, and completed answers are told apart by content. */
function asSaid({ finish, usage, error, ...head }: Answer, parts: readonly Part[]): unknown {
  const isCut = finish.reason === 'length' || finish.reason === 'failed'
  const said = parts.map((part, i) => {
    if (part.kind !== 'call' || part.status !== undefined) return part
    return { ...part, status: isCut && i === parts.length - 1 ? 'incomplete' : 'completed' }
  })
  const has = (kind: Part['kind']): boolean => parts.some(part => part.kind === kind)
  const completed: FinishReason = has('call') ? 'calls' : has('refusal') ? 'refusal' : 'stop'
  const isDone = finish.reason === 'stop' || finish.reason === 'calls' || finish.reason === 'refusal'
  const reason = isDone ? completed : finish.reason
  return plain({
    id: head.id,
    model: head.model,
    createdAt: head.createdAt,
    parts: said,
    reason,
    usage,
    error,
  })
}

/** The order that every stream of events has. */
function checkOrder(events: readonly StreamEvent[]): void {
  expect(events[0]?.type).toBe('start')
  const open = new Set<number>()
  let next = 0
  for (const [i, event] of events.entries()) {
    const isLast = i === events.length - 1
    expect(event.type === 'finish' || event.type === 'error').toBe(isLast)
    if (event.type === 'start') expect(i).toBe(0)
    if (event.type === 'part-start') {
      expect(event.index).toBe(next++)
      open.add(event.index)
    }
    if (event.type === 'part-delta') expect(open.has(event.index)).toBe(true)
    if (event.type === 'part-end') expect(open.delete(event.index)).toBe(true)
  }
  expect(open.size).toBe(0)
}

describe('Responses streams, encoded and decoded', () => {
  test('Events that are encoded and decoded again are the same.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const read = decodeStream(encodeStream(events).text)
        checkOrder(read)
        const source = foldEvents(events)
        const answer = foldEvents(read)
        expect(asSaid(answer, partsOf(answer))).toEqual(asSaid(source, partsOf(source)))
      }),
    )
  })

  test('Every delta becomes one delta event.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const deltas = (list: readonly StreamEvent[]): string[] =>
          list.flatMap(event => (event.type === 'part-delta' && event.text !== '' ? [event.text] : []))
        expect(deltas(decodeStream(encodeStream(events).text))).toEqual(deltas(events))
      }),
    )
  })

  test('A stream of this wire that is decoded and encoded again has the same items.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const once = decodeStream(encodeStream(events).text)
        const twice = decodeStream(encodeStream(once).text)
        expect(plain(foldEvents(twice))).toEqual(plain(foldEvents(once)))
      }),
    )
  })
})

describe('the Responses stream encoder', () => {
  test('Frames are numbered without gaps, their names match, they share one id, and the end is complete.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const { text } = encodeStream(events)
        expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true)
        const data = dataOf(text)
        const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
        expect(data.map(({ type }) => type)).toEqual(names)
        expect(data.map(({ sequence_number }) => sequence_number)).toEqual([...data.keys()])
        const responses = data.flatMap(({ response }) => (isObject(response) ? [response] : []))
        expect(new Set(responses.map(({ id }) => id))).toEqual(new Set(['resp_1']))
        const done = data.filter(({ type }) => type === 'response.output_item.done')
        done.sort((a, b) => Number(a.output_index) - Number(b.output_index))
        expect(responses.at(-1)?.output).toEqual(done.map(({ item }) => item))
      }),
    )
  })

  test('The answer in the last event is the unstreamed answer.', () => {
    fc.assert(
      fc.property(
        eventStream.filter(events => events.at(-1)?.type === 'finish'),
        events => {
          const streamed = dataOf(encodeStream(events).text).at(-1)?.response as JsonObject
          const source = foldEvents(events)
          let count = 0
          const context = { newId: (prefix: string) => `${prefix}${++count}`, now: () => 1000 }
          const unstreamed = responsesConversation.encodeAnswer(joinTexts(source), context, () => {})
          expect(withoutIds(streamed)).toEqual(withoutIds(unstreamed))
        },
      ),
    )
  })

  test('Every piece of text is what JSON.stringify would write.', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), text => {
        const path = ['content', 0]
        const part = { kind: 'text', text: '', path } as const
        const { text: frames } = encodeStream([
          { type: 'part-start', index: 0, part },
          { type: 'part-delta', index: 0, text },
        ])
        const event = {
          type: 'response.output_text.delta',
          item_id: 'msg_2',
          output_index: 0,
          content_index: 0,
          delta: text,
          logprobs: [],
          sequence_number: 4,
        }
        expect(frames.endsWith(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)).toBe(true)
      }),
    )
  })
})

/** Parts of one message belong to one turn. */
function joinTexts(answer: Answer): Answer {
  const turns: { role: 'assistant'; parts: Part[]; root: [] }[] = []
  for (const part of partsOf(answer)) {
    const last = turns.at(-1)
    const isSaid = part.kind === 'text' || part.kind === 'refusal'
    const kind = last?.parts.at(-1)?.kind
    if (last !== undefined && isSaid && (kind === 'text' || kind === 'refusal')) last.parts.push(part)
    else turns.push({ role: 'assistant', parts: [part], root: [] })
  }
  return { ...answer, turns }
}

/** An explicit status of a call is final in a stream: it was sent before the end was known. */
function withoutIds(response: JsonObject): unknown {
  const items = (response.output as JsonObject[]).map(({ id: _, status, ...item }) => ({
    ...item,
    ...(item.type === 'message' && { status }),
  }))
  return { ...response, output: items }
}

describe('a Responses stream and the unstreamed answer', () => {
  test('A stream makes the same answer as the unstreamed body.', () => {
    fc.assert(
      fc.property(wholeAnswer, fc.integer({ min: 1, max: 5 }), (given, size) => {
        const ends = new Map([
          ['completed', 'response.completed'],
          ['incomplete', 'response.incomplete'],
          ['failed', 'response.failed'],
        ])
        const type = ends.get(String(given.status))
        fc.pre(type !== undefined)
        const body = withUniqueIds(given)
        const { events } = decodeFrames(framesOf(...streamOf(body, String(type), size)))
        checkOrder(events)
        const unstreamed = responsesConversation.decodeAnswer(body, createReport().report)
        const folded = foldEvents(events)
        expect(partsOf(folded)).toEqual(partsOf(unstreamed))
        expect(folded).toMatchObject(head(unstreamed))
        if (unstreamed.error === undefined && unstreamed.finish.reason !== 'failed') {
          expect(folded.finish).toEqual(unstreamed.finish)
          expect(folded.usage).toEqual(unstreamed.usage)
        } else expect(folded.error?.kind).toBe(unstreamed.error?.kind ?? 'server')
      }),
      { numRuns: 300 },
    )
  })

  test('The official SDK accepts a stream that was decoded and encoded again.', () => {
    fc.assert(
      fc.property(wholeAnswer, given => {
        const body = withUniqueIds({ ...given, status: 'completed', error: null })
        // The SDK wants a call_id on this one, and the generated item has none.
        fc.pre((body.output as JsonObject[]).every(({ type }) => type !== 'shell_call'))
        const { events } = decodeFrames(framesOf(...streamOf(body, 'response.completed', 3)))
        const data = dataOf(encodeStream(events).text) as unknown as ResponseStreamEvent[]
        let snapshot: Response | undefined
        for (const event of data) snapshot = accumulateResponse(event, snapshot)
        expect(snapshot?.status).toBe('completed')
        const items = body.output as JsonObject[]
        const written = items.filter(({ type, content }) => type !== 'message' || (content as []).length > 0)
        expect(snapshot?.output.map(({ type }) => type)).toEqual(written.map(({ type }) => type))
      }),
    )
  })
})

function head({ id, model, createdAt }: Answer): object {
  return JSON.parse(JSON.stringify({ id, model, createdAt }))
}

function withUniqueIds(body: JsonObject): JsonObject {
  const output = (body.output as JsonObject[]).map((item, i) => ({
    ...item,
    ...(item.id !== undefined && { id: `item_${i}` }),
    ...(item.call_id !== undefined && { call_id: `call_${i}` }),
  }))
  // As JSON carries it: without negative zero.
  return JSON.parse(JSON.stringify({ ...body, output }))
}

const cutUp = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []

/** The stream of an answer in the order the wire's owner sends it. */
function streamOf(body: JsonObject, type: string, size: number): JsonObject[] {
  const items = body.output as JsonObject[]
  const begun = { ...body, output: [], status: 'in_progress', usage: null, error: null }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: announced(item) },
      ...piecesOf(item, { item_id: item.id, output_index }, size),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type, response: body },
  ]
}

function announced(item: JsonObject): JsonObject {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' }
    case 'reasoning':
      return { type: 'reasoning', id: item.id, summary: [] }
    default:
      return { ...item, status: 'in_progress' }
  }
}

function piecesOf(item: JsonObject, where: JsonObject, size: number): JsonObject[] {
  const deltas = (event: string, text: unknown, more: JsonObject = {}): JsonObject[] =>
    cutUp(String(text), size).map(delta => ({ type: `response.${event}.delta`, ...where, ...more, delta }))
  switch (item.type) {
    case 'message':
      return (item.content as JsonObject[]).flatMap((part, content_index) => {
        const at = { ...where, content_index }
        const [event, key] = part.type === 'refusal' ? ['refusal', 'refusal'] : ['output_text', 'text']
        return [
          { type: 'response.content_part.added', ...at, part: { ...part, [key]: '', annotations: [] } },
          ...deltas(event, part[key], { content_index }),
          { type: `response.${event}.done`, ...at, [key]: part[key] },
          { type: 'response.content_part.done', ...at, part },
        ]
      })
    case 'function_call':
      return deltas('function_call_arguments', item.arguments)
    case 'custom_tool_call':
      return deltas('custom_tool_call_input', item.input)
    case 'reasoning':
      return (item.summary as JsonObject[]).flatMap(({ text }, summary_index) => [
        { type: 'response.reasoning_summary_part.added', ...where, summary_index },
        ...deltas('reasoning_summary_text', text, { summary_index }),
        { type: 'response.reasoning_summary_text.done', ...where, summary_index, text },
      ])
    default:
      return []
  }
}
