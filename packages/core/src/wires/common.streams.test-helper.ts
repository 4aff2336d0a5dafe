/** The cases that the streams of every wire pass, over events that no wire has written yet. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject } from '../json/object.ts'
import type { Answer, FinishReason } from '../model/answer.ts'
import type { Part } from '../model/conversation.ts'
import { foldEvents } from '../model/fold-events.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import type { SseFrame } from '../sse/sse-parser.ts'
import { parsed } from './common.bodies.test-helper.ts'
import type { WireSamples } from './common.cases.test-helper.ts'
import { answerOf, contextOf, errorKinds } from './common.cases.test-helper.ts'
import type { WireConversation, WireDefinition } from './define-wire.ts'

const path = ['elsewhere', 0]
const someText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
  fc.constantFrom('é👋', '\u2028"\\', 'data: x\n\n', '{"a":1}'),
)
const name = fc.stringMatching(/^[a-z_]{1,8}$/)
const input = fc.dictionary(name, fc.jsonValue(), { maxKeys: 3 }).map(value => JSON.stringify(value))

function partsFor({ missing = [] }: WireSamples): fc.Arbitrary<Part> {
  const call = fc
    .record({ name, input })
    .map((fields): Part => ({ kind: 'call', form: 'function', ...fields, path }))
  // A text of nothing but spaces is left out on wires whose servers refuse it.
  const said = someText.map((text): Part => ({ kind: 'text', text: `a${text}`, path }))
  const others: { readonly [kind: string]: fc.Arbitrary<Part> } = {
    refusal: someText.map(text => ({ kind: 'refusal', text, path })),
    reasoning: someText.map(text => ({ kind: 'reasoning', summary: [], text: [text], path })),
    'custom call': fc
      .record({ name, input: someText })
      .map(fields => ({ kind: 'call', form: 'custom', ...fields, path })),
  }
  const known = Object.entries(others).flatMap(([kind, part]) =>
    missing.some(other => other === kind) ? [] : [part],
  )
  return fc.oneof(said, call, ...known)
}

/** Events whose parts come one after the other or overlap, in order of their starts. */
function eventsFor(samples: WireSamples): fc.Arbitrary<StreamEvent[]> {
  return fc
    .record({
      parts: fc.array(partsFor(samples), { maxLength: 5 }),
      sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
      order: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 }),
      isCut: fc.boolean(),
      usage: fc.record({
        input: fc.integer({ min: 40, max: 99 }),
        output: fc.nat(),
        cacheRead: fc.nat({ max: 20 }),
        cacheWrite: fc.nat({ max: 20 }),
        reasoning: fc.nat(),
      }),
    })
    .map(({ parts: drawn, sizes, order, isCut, usage }) => {
      const firstThought = drawn.findIndex(({ kind }) => kind === 'reasoning')
      const parts = drawn
        .map((part, i) => (part.kind === 'call' ? { ...part, id: `call_${i}` } : part))
        // Where all reasoning is one text, it is written with a blank line between its sections.
        .filter(({ kind }, i) => !samples.joinsTexts || kind !== 'reasoning' || i === firstThought)
      const last = parts.at(-1)
      const has = (kind: Part['kind']): boolean => parts.some(part => part.kind === kind)
      // Only what was said last can have been cut.
      const isShort = isCut && (last?.kind === 'call' || !has('call'))
      if (isShort && last?.kind === 'call') parts[parts.length - 1] = { ...last, status: 'incomplete' }
      const complete = has('call') ? 'calls' : has('refusal') ? 'refusal' : 'stop'
      const reason: FinishReason = isShort ? 'length' : complete
      const rows = parts.map((part, index) => spoken(part, index, sizes))
      return [
        { type: 'start', id: 'id1', model: 'm', createdAt: 5 },
        ...(samples.missing?.includes('overlap') ? rows.flat() : interleave(rows, order)),
        { type: 'finish', finish: { reason }, usage },
      ]
    })
}

function spoken(part: Part, index: number, sizes: readonly number[]): StreamEvent[] {
  const said = part.kind === 'call' ? part.input : 'text' in part ? [part.text].flat().join('') : ''
  const deltas: StreamEvent[] = []
  for (let at = 0, i = 0; at < said.length; i++) {
    const end = at + (sizes[i % sizes.length] ?? 1)
    deltas.push({ type: 'part-delta', index, text: said.slice(at, end) })
    at = end
  }
  return [{ type: 'part-start', index, part: emptied(part) }, ...deltas, { type: 'part-end', index, part }]
}

function emptied(part: Part): Part {
  switch (part.kind) {
    case 'call': {
      const { status: _, ...rest } = part
      return { ...rest, input: '' }
    }
    case 'reasoning':
      return { ...part, text: [] }
    case 'text':
    case 'refusal':
      return { ...part, text: '' }
    default:
      return part
  }
}

function interleave(rows: readonly StreamEvent[][], order: readonly number[]): StreamEvent[] {
  const events: StreamEvent[] = []
  let begun = 0
  for (let turn = 0; rows.some(row => row.length > 0); turn++) {
    const able = rows.filter((row, i) => row.length > 0 && i <= begun)
    const event = able[(order[turn % order.length] ?? 0) % able.length]?.shift()
    if (event?.type === 'part-start') begun++
    if (event !== undefined) events.push(event)
  }
  return events
}

/** What is wrong with the order of the events; every decoder keeps it. */
function faultsOf(events: readonly StreamEvent[]): string[] {
  const faults: string[] = []
  const open = new Set<number>()
  let next = 0
  for (const [i, event] of events.entries()) {
    if ((event.type === 'start') !== (i === 0)) faults.push(`${event.type} at ${i}`)
    const isTerminal = event.type === 'finish' || event.type === 'error'
    if (isTerminal !== (i === events.length - 1)) faults.push(`${event.type} at ${i} of ${events.length}`)
    if (event.type === 'part-start') {
      if (event.index !== next++) faults.push(`part ${event.index} starts out of order`)
      open.add(event.index)
    } else if (event.type === 'part-delta' && !open.has(event.index))
      faults.push(`part ${event.index} is not open`)
    else if (event.type === 'part-end' && !open.delete(event.index))
      faults.push(`part ${event.index} ends twice`)
  }
  return events.length === 0
    ? ['nothing']
    : [...faults, ...[...open].map(index => `part ${index} is left open`)]
}

function expectOrder(events: readonly StreamEvent[]): void {
  expect(faultsOf(events)).toEqual([])
}

/** What an answer says, without what only one wire has a place for. */
function essence(answer: Answer, { joinsTexts = false, missing = [] }: WireSamples): unknown {
  const parts = answer.turns.flatMap(turn => turn.parts)
  const calls = parts.filter(part => part.kind === 'call')
  const { input: read = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = answer.usage ?? {}
  const textsOf = (kind: Part['kind']): string =>
    parts.map(part => (part.kind === kind ? gist(part) : '')).join('')
  return {
    said: joinsTexts
      ? [textsOf('text'), textsOf('refusal'), textsOf('reasoning'), ...calls.map(gist)]
      : parts.map(part => [part.kind, gist(part)]),
    isCut: !missing.includes('cut call') && calls.at(-1)?.status === 'incomplete',
    model: answer.model,
    reason: answer.finish.reason,
    usage: missing.includes('usage shares')
      ? [read, output]
      : [read, output, cacheRead, cacheWrite, reasoning],
    error: answer.error?.message,
  }
}

function gist(part: Part): unknown {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text
    case 'reasoning':
      return [...part.summary, ...part.text].join('')
    case 'call':
      return [part.form, part.id, part.name, part.form === 'function' ? JSON.parse(part.input) : part.input]
    default:
      return part.kind
  }
}

function encodeStream(
  conversation: WireConversation,
  samples: WireSamples,
  events: readonly StreamEvent[],
): string[] {
  const context = contextOf({ model: 'asked', ...samples.streamRequest })
  const encoder = conversation.createStreamEncoder(context, () => {})
  return events.map(event => encoder.push(event))
}

function framesOf({ frames }: WireConversation, pieces: readonly string[]): SseFrame[] {
  const reader = frames.createReader(1_000_000)
  return [...pieces.flatMap(piece => reader.push(piece)), ...reader.end()]
}

function decodeStream(conversation: WireConversation, frames: readonly SseFrame[]): StreamEvent[] {
  const decoder = conversation.createStreamDecoder(() => {})
  return [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
}

export function describeStreams({ conversation }: WireDefinition, samples: WireSamples): void {
  const eventStream = eventsFor(samples)
  const encode = (events: readonly StreamEvent[]): string[] => encodeStream(conversation, samples, events)
  const frames = (pieces: readonly string[]): SseFrame[] => framesOf(conversation, pieces)
  const decode = (list: readonly SseFrame[]): StreamEvent[] => decodeStream(conversation, list)

  test('Events that are written as a stream and read again amount to the same answer.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const read = decode(frames(encode(events)))
        expectOrder(read)
        expect(essence(foldEvents(read), samples)).toEqual(essence(foldEvents(events), samples))
        expect(foldEvents(read).id).toMatch(/id1$/)
      }),
      { numRuns: 200 },
    )
  })

  test('A stream amounts to the answer that would have come whole.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const answer = foldEvents(events)
        const parts = answer.turns.flatMap(turn => turn.parts)
        const source = { ...answer, turns: answerOf('stop', ...parts).turns }
        const body = parsed(conversation.encodeAnswer(source, contextOf(), () => {}))
        const whole = conversation.decodeAnswer(body, () => {})
        expect(essence(foldEvents(decode(frames(encode(events)))), samples)).toEqual(essence(whole, samples))
      }),
    )
  })

  test('Every event is written as complete frames.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const pieces = encode(events)
        expect(pieces.flatMap(piece => frames([piece]))).toEqual(frames([pieces.join('')]))
      }),
      { numRuns: 50 },
    )
  })

  test('A stream is read alike in every cut of its bytes, and with any ends of lines.', () => {
    fc.assert(
      fc.property(
        eventStream,
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        (events, sizes) => {
          const text = encode(events).join('')
          const expected = decode(frames([text]))
          for (const sent of [text, text.replaceAll('\n', '\r\n')]) {
            const bytes = new TextEncoder().encode(sent)
            const decoder = new TextDecoder()
            const pieces: string[] = []
            for (let at = 0, i = 0; at < bytes.length; i++) {
              const end = at + (sizes[i % sizes.length] ?? 1)
              pieces.push(decoder.decode(bytes.subarray(at, end), { stream: true }))
              at = end
            }
            expect(decode(frames(pieces))).toEqual(expected)
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  test('A stream that is cut off fails once, and keeps what was said before.', () => {
    fc.assert(
      fc.property(eventStream, events => {
        const all = frames(encode(events))
        const ends = all.map((_, kept) => {
          const read = decode(all.slice(0, kept))
          expectOrder(read)
          return read.at(-1)?.type
        })
        // Only frames behind the reason of the end may be missing: a token count and a mark of the end.
        const complete = ends.indexOf('finish')
        const failed = complete < 0 ? ends : ends.slice(0, complete)
        expect(new Set(failed)).toEqual(new Set(['error']))
        expect(all.length - failed.length).toBeLessThanOrEqual(2)
        expect(new Set(ends.slice(failed.length))).toEqual(new Set(complete < 0 ? [] : ['finish']))
      }),
      { numRuns: 10 },
    )
  })

  test.each(errorKinds)(
    'An error of the kind "%s" is the last event of a stream, after all that was said.',
    kind => {
      fc.assert(
        fc.property(eventStream, fc.nat(), (events, n) => {
          const before = events.slice(0, 1 + (n % (events.length - 1)))
          const read = decode(
            frames(encode([...before, { type: 'error', error: { kind, message: 'It failed.' } }, ...events])),
          )
          expectOrder(read)
          expect(read.at(-1)).toMatchObject({ type: 'error', error: { message: 'It failed.' } })
          expect(textOf(read)).toBe(textOf(before))
        }),
        { numRuns: 20 },
      )
    },
  )

  test('A stream with any JSON in any place is read without an exception, in order, and can be written again.', () => {
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(null, '', 0, -1, 1e9, [], {}, '{', '{}', '__proto__', '[DONE]'),
    )
    const change = fc.record({
      frame: fc.nat(),
      place: fc.nat(),
      value: odd,
      kind: fc.constantFrom('value', 'drop', 'repeat', 'move', 'text'),
    })
    fc.assert(
      fc.property(eventStream, fc.array(change, { minLength: 1, maxLength: 8 }), (events, changes) => {
        const sent = frames(encode(events))
        for (const { frame, place, value, kind } of changes) {
          const at = frame % sent.length
          const target = sent[at]
          if (target === undefined) break
          if (kind === 'drop') sent.splice(at, 1)
          else if (kind === 'repeat') sent.splice(at, 0, target)
          else if (kind === 'move') sent.splice(place % sent.length, 0, ...sent.splice(at, 1))
          else if (kind === 'text') sent[at] = { ...target, data: String(value) }
          else sent[at] = { ...target, data: replaced(target.data, place, value) }
        }
        const read = decode(sent)
        expectOrder(read)
        expectOrder(decode(frames(encode(read))))
      }),
      { numRuns: 500 },
    )
  })

  test('A frame of the wire is recognised as one.', () => {
    const [first] = frames(
      encode([
        { type: 'start', id: 'id1', model: 'm' },
        { type: 'finish', finish: { reason: 'stop' } },
      ]),
    )
    expect(conversation.recognise.frame(first?.event, JSON.parse(first?.data ?? 'null'))).toBeGreaterThan(0)
  })
}

function textOf(events: readonly StreamEvent[]): string {
  const texts = new Set(
    events.flatMap(event => (event.type === 'part-start' && event.part.kind === 'text' ? [event.index] : [])),
  )
  return events
    .filter(event => event.type === 'part-delta')
    .filter(({ index }) => texts.has(index))
    .sort((a, b) => a.index - b.index)
    .map(({ text }) => text)
    .join('')
}

/** The JSON with another value in one of its places. */
function replaced(data: string, place: number, value: unknown): string {
  let root: unknown
  try {
    root = JSON.parse(data)
  } catch {
    return data
  }
  const places: [holder: Record<string, unknown>, key: string][] = []
  const visit = (inner: unknown): void => {
    if (!isObject(inner) && !Array.isArray(inner)) return
    for (const key of Object.keys(inner)) {
      places.push([inner as Record<string, unknown>, key])
      visit((inner as Record<string, unknown>)[key])
    }
  }
  visit(root)
  const [holder, key] = places[place % places.length] ?? []
  if (holder !== undefined && key !== undefined) holder[key] = value
  return JSON.stringify(root)
}
