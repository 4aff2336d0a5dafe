/** The laws of this wire's streams, over generated ones. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  args,
  cuts,
  cutUp,
  decodeFrames,
  decodeText,
  encodeAll,
  essence,
  expectOrder,
  shown,
  word,
} from '../../../../../../test/support/streams/messages.ts'
import type { JsonObject } from '../../../json/object.ts'
import type { Part } from '../../../model/conversation.ts'
import { foldEvents } from '../../../model/fold-events.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { createSseParser } from '../../../sse/sse-parser.ts'

const path = ['content']

interface Said {
  readonly start: Part
  readonly end: Part
  readonly deltas: readonly string[]
}

const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ text: shown, at: cuts }).map(({ text, at }) => ({
    start: { kind: 'text', path, text: '' } as const,
    end: { kind: 'text', path, text } as const,
    deltas: cutUp(text, at),
  })),
  fc.record({ text: shown, at: cuts, seal: word }).map(({ text, at, seal }) => ({
    start: { kind: 'reasoning', path, summary: [], text: [] } as const,
    end: {
      kind: 'reasoning',
      path,
      summary: [],
      text: [text],
      seal: { wire: 'messages', value: seal },
    } as const,
    deltas: cutUp(text, at),
  })),
  fc
    .record({ id: word.map(id => `c${id}`), name: shown, input: args, at: cuts })
    .map(({ id, name, input, at }) => {
      const text = JSON.stringify(input)
      const call = { kind: 'call', form: 'function', path, id, name } as const
      return { start: { ...call, input: '' }, end: { ...call, input: text }, deltas: cutUp(text, at) }
    }),
  fc.record({ id: word, name: word, input: args }).map(use => {
    const value = { type: 'server_tool_use', ...use }
    const hosted = { kind: 'hosted', wire: 'messages', path, type: 'server_tool_use' } as const
    return { start: { ...hosted, value: { ...value, input: {} } }, end: { ...hosted, value }, deltas: [] }
  }),
)

/** The parts in one stream, overlapping at random, but in order of their starts. */
function interleave(parts: readonly Said[], dice: readonly number[]): StreamEvent[] {
  const left = parts.map(({ start, end, deltas }, index) => [
    { type: 'part-start', index, part: start } as const,
    ...deltas.map(text => ({ type: 'part-delta', index, text }) as const),
    { type: 'part-end', index, part: end } as const,
  ])
  const events: StreamEvent[] = []
  let begun = 0
  for (let i = 0; left.some(list => list.length > 0); i++) {
    const able = left.flatMap((list, index) => (list.length > 0 && index <= begun ? [index] : []))
    const index = able[(dice[i % dice.length] ?? 0) % able.length] ?? 0
    const event = left[index]?.shift()
    if (event?.type === 'part-start') begun++
    if (event !== undefined) events.push(event)
  }
  return events
}

const usage = fc.record({
  input: fc.integer({ min: 20, max: 99 }),
  output: fc.nat(),
  cacheRead: fc.nat({ max: 20 }),
})
const stream = fc
  .record({
    parts: fc.uniqueArray(said, {
      maxLength: 5,
      selector: ({ end }) => (end.kind === 'call' ? end.id : end),
    }),
    dice: fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
    usage,
    cut: fc.boolean(),
  })
  .map(({ parts, dice, usage, cut }): StreamEvent[] => {
    const last = parts.at(-1)
    const isCut = cut && last?.end.kind === 'call'
    const ended = isCut
      ? [...parts.slice(0, -1), { ...last, end: { ...last.end, status: 'incomplete' } as Part }]
      : parts
    const reason = isCut ? 'length' : parts.some(({ end }) => end.kind === 'call') ? 'calls' : 'stop'
    return [
      { type: 'start', id: 'msg_1', model: 'm' },
      ...interleave(ended, dice),
      { type: 'finish', finish: { reason }, usage },
    ]
  })

describe('Messages streams', () => {
  test('Events that are encoded and decoded again make the same answer, however parts overlap.', () => {
    fc.assert(
      fc.property(stream, events => {
        const decoded = decodeText(encodeAll(events))
        expectOrder(decoded)
        expect(essence(foldEvents(decoded))).toEqual(essence(foldEvents(events)))
        expect(foldEvents(decoded)).toMatchObject({ id: 'msg_1', model: 'm' })
      }),
      { numRuns: 300 },
    )
  })

  test('Every push returns complete frames of one line, and blocks follow one another without gaps.', () => {
    fc.assert(
      fc.property(stream, events => {
        let block = -1
        let isOpen = false
        for (const piece of encodeAll(events)) {
          expect(piece === '' || piece.endsWith('\n\n')).toBe(true)
          for (const text of piece.split('\n\n').slice(0, -1)) {
            const [, event, data = ''] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(text) ?? []
            const body: JsonObject = JSON.parse(data)
            expect(body.type).toBe(event)
            // The frames made from a prefix are what the complete object would be written as.
            expect(JSON.stringify(body)).toBe(data)
            if (event === 'content_block_start') {
              expect(isOpen).toBe(false)
              isOpen = true
              block++
            }
            if (event?.startsWith('content_block')) expect([body.index, isOpen]).toEqual([block, true])
            if (event === 'content_block_stop') isOpen = false
          }
        }
        expect(isOpen).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  test('A stream is decoded alike however its bytes are cut.', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 2000 }), { maxLength: 20 }), (events, at) => {
        const text = encodeAll(events).join('')
        const whole = decodeText([text])
        for (const sent of [text, text.replaceAll('\n', '\r\n')]) {
          const bytes = new TextEncoder().encode(sent)
          const reader = new TextDecoder()
          const ends = [...at.map(place => place % bytes.length), bytes.length].sort((a, b) => a - b)
          const pieces = ends.map((to, i) =>
            reader.decode(bytes.subarray(ends[i - 1] ?? 0, to), { stream: true }),
          )
          expect(decodeText(pieces)).toEqual(whole)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('A stream that breaks off anywhere fails, and its parts are kept.', () => {
    fc.assert(
      fc.property(stream, fc.nat(), (events, at) => {
        const frames = createSseParser().push(encodeAll(events).join(''))
        const decoded = decodeFrames(frames.slice(0, at % frames.length))
        expectOrder(decoded)
        expect(decoded.at(-1)).toMatchObject({ type: 'error', error: { kind: 'server' } })
      }),
      { numRuns: 100 },
    )
  })
})
