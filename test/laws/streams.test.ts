/** The laws for streams: for every pair of wires, a converted stream adds up to the converted answer. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import type { Answer } from '../../packages/core/src/model/answer.ts'
import type { Part } from '../../packages/core/src/model/conversation.ts'
import { createReport } from '../../packages/core/src/model/diagnostic.ts'
import { foldEvents } from '../../packages/core/src/model/fold-events.ts'
import type { StreamEvent } from '../../packages/core/src/model/stream-event.ts'
import { createSseParser } from '../../packages/core/src/sse/sse-parser.ts'
import { builtInConversations } from '../../packages/core/src/wires/registry.ts'
import { type ReadCall, streamedCalls, wholeCalls } from '../support/fixtures/strict-readers.ts'
import { checkEventOrder } from '../support/streams/event-order.ts'
import { pinned, streamFixtures } from '../support/streams/fixtures.ts'
import { wires } from '../support/wires.ts'

const fixed = { newId: (prefix: string) => `${prefix}fixed`, now: () => 1_700_000_000 }

describe.each(streamFixtures)('the stream $wire/$story', ({ wire: to, story, body, events }) => {
  describe.each(wires)('for a client on %s', from => {
    const request = { stream: true, stream_options: { include_usage: true } }

    function convert(pieces: readonly (string | Uint8Array)[], ids = fixed): string {
      const exchange = createExchange({ from, to, ...ids })
      exchange.request(request)
      const stream = exchange.stream()
      return pieces.map(piece => stream.push(piece)).join('') + stream.end()
    }

    test(`The calls of the ${to} stream ${story} on ${from}, identified by index and item alone, are those of the complete answer. [C14]`, () => {
      const { value } = createExchange({ from, to, ...pinned }).response(body)
      const whole = wholeCalls(from, value)
      expect(streamedCalls(from, convert(events, pinned)).map(parsed)).toEqual(whole.map(parsed))
    })

    test(`The ${to} stream ${story} converted to ${from} adds up to the converted answer.`, () => {
      const streamed = foldEvents(decode(from, convert(events, pinned)))
      const { value } = createExchange({ from, to, ...pinned }).response(body)
      const whole = builtInConversations[from].decodeAnswer(value, createReport().report)
      expect(contentOf(streamed, from)).toEqual(contentOf(whole, from))
    })

    if (from === to) {
      test(`Identity: the ${to} stream ${story} is not changed by an exchange on its own wire.`, () =>
        expect(convert(events)).toBe(events.join('')))
    }

    test(`The ${to} stream ${story} converts to the same ${from} stream, whatever chunks it arrives in.`, () => {
      const bytes = new TextEncoder().encode(events.join(''))
      const once = convert([bytes])
      expect(convert(Array.from(bytes, byte => Uint8Array.of(byte)))).toBe(once)
      for (let cut = 1; cut < bytes.length; cut += 7) {
        expect(convert([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(once)
      }
    })

    test(`The events of the ${to} stream ${story} on ${from} are in a valid order, complete or cut short.`, () => {
      for (let kept = 0; kept <= events.length; kept++) {
        expect(checkEventOrder(from, convert(events.slice(0, kept), pinned)), `${kept} events`).toEqual([])
      }
    })

    test(`The ${to} stream ${story} on ${from} has exactly one error and no success when it is cut short.`, () => {
      for (let kept = 0; kept < events.length; kept++) {
        const terminal = decode(from, convert(events.slice(0, kept), pinned)).filter(isTerminal)
        const ended = decode(to, events.slice(0, kept).join('')).some(({ type }) => type === 'finish')
        expect(terminal.map(({ type }) => type)).toEqual([ended ? 'finish' : 'error'])
      }
    })

    test(`The held end of the ${to} stream ${story} on ${from} can be released or replaced by an error.`, () => {
      const held = (end: 'release' | 'fail'): [before: string, end: string, failure: string | undefined] => {
        const exchange = createExchange({ from, to, ...pinned })
        exchange.request(request)
        const stream = exchange.stream({ holdEnd: true })
        const before = events.map(event => stream.push(event)).join('') + stream.end()
        const last =
          end === 'release'
            ? stream.release()
            : stream.fail({ kind: 'server', message: 'It was not stored.' })
        // Whoever stores the end asks for it first, and may fail at that.
        if (end === 'release') expect(stream.release()).toBe(last)
        else expect([stream.release(), stream.fail({ kind: 'server', message: 'Again.' })]).toEqual(['', ''])
        return [before, last, stream.failure]
      }
      const [before, end] = held('release')
      expect(decode(from, before).filter(({ type }) => type === 'finish')).toEqual([])
      expect(checkEventOrder(from, before + end)).toEqual([])
      const [same, error, failure] = held('fail')
      expect(failure).toBe('It was not stored.')
      expect(checkEventOrder(from, same + error)).toEqual([])
      expect(decode(from, same + error).filter(isTerminal)).toMatchObject([
        { type: 'error', error: { message: 'It was not stored.' } },
      ])
    })

    test(`Text of the ${to} stream ${story} on ${from} before a failure is not lost.`, () => {
      const half = events.slice(0, Math.ceil(events.length / 2))
      const before = foldEvents(decode(to, half.join('')))
      const after = foldEvents(decode(from, convert(half, pinned)))
      expect(textOf(after)).toBe(textOf(before))
    })
  })
})

/** Two calls whose deltas alternate, so that only index or item assigns a delta to its call. */
const interleaved: { readonly [W in 'chat' | 'responses']: readonly string[] } = {
  chat: [
    { role: 'assistant', content: null },
    { tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } }] },
    { tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'two', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"x":' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{"y":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '2}' } }] },
    {},
  ]
    .map((delta, i, all) => ({ index: 0, delta, finish_reason: i === all.length - 1 ? 'tool_calls' : null }))
    .map(choice => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] }))
    .map(chunk => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat('data: [DONE]\n\n'),
  responses: [
    { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: interleavedItem('a', 'one', '') },
    { type: 'response.output_item.added', output_index: 1, item: interleavedItem('b', 'two', '') },
    ...[
      { output_index: 0, item_id: 'fc_a', delta: '{"x":' },
      { output_index: 1, item_id: 'fc_b', delta: '{"y":' },
      { output_index: 0, item_id: 'fc_a', delta: '1}' },
      { output_index: 1, item_id: 'fc_b', delta: '2}' },
    ].map(delta => ({ type: 'response.function_call_arguments.delta', ...delta })),
    ...[
      { output_index: 0, item_id: 'fc_a', arguments: '{"x":1}' },
      { output_index: 1, item_id: 'fc_b', arguments: '{"y":2}' },
    ].map(done => ({ type: 'response.function_call_arguments.done', ...done })),
    { type: 'response.output_item.done', output_index: 0, item: interleavedItem('a', 'one', '{"x":1}') },
    { type: 'response.output_item.done', output_index: 1, item: interleavedItem('b', 'two', '{"y":2}') },
    {
      type: 'response.completed',
      response: {
        id: 'r',
        model: 'm',
        status: 'completed',
        output: [interleavedItem('a', 'one', '{"x":1}'), interleavedItem('b', 'two', '{"y":2}')],
      },
    },
  ].map((data, i) => `event: ${data.type}\ndata: ${JSON.stringify({ ...data, sequence_number: i })}\n\n`),
}

function interleavedItem(id: string, name: string, args: string): object {
  return { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name, arguments: args }
}

describe.each(['chat', 'responses'] as const)('interleaved calls of %s', to => {
  test.each(wires)(`Interleaved calls of ${to} are assigned to the right call on %s. [C14]`, from => {
    const stop = to === 'chat' ? 7 : 9
    // With and without the end, which repeats the complete calls.
    for (const events of [interleaved[to], interleaved[to].slice(0, stop)]) {
      const stream = createExchange({ from, to, ...pinned }).stream()
      const text = events.map(event => stream.push(event)).join('') + stream.end()
      expect(streamedCalls(from, text)).toEqual([
        { id: 'call_a', name: 'one', input: '{"x":1}' },
        { id: 'call_b', name: 'two', input: '{"y":2}' },
      ])
    }
  })
})

function parsed({ input, ...call }: ReadCall): unknown {
  return { ...call, input: argumentsOf(input) }
}

function decode(wire: Wire, text: string): StreamEvent[] {
  const parser = createSseParser()
  const decoder = builtInConversations[wire].createStreamDecoder(createReport().report)
  return [...[...parser.push(text), ...parser.end()].flatMap(frame => decoder.push(frame)), ...decoder.end()]
}

function isTerminal({ type }: StreamEvent): boolean {
  return type === 'finish' || type === 'error'
}

/** The content of an answer, without the ids that differ each time. */
function contentOf({ turns, finish, usage, serviceTier }: Answer, wire: Wire): unknown {
  const parts = turns.flatMap(turn => turn.parts)
  const { residue: _, ...counts } = usage ?? {}
  return {
    parts: wire === 'chat' ? inChatOrder(parts).map(partContent) : parts.map(partContent),
    reason: finish.reason,
    counts,
    // On Responses an answer that names none is written with the usual one.
    tier: serviceTier?.value ?? 'default',
  }
}

/** Chat has one content for all text, whatever parts were between its pieces. */
function inChatOrder(parts: readonly Part[]): Part[] {
  const texts = parts.filter(part => part.kind === 'text')
  const [first] = texts
  if (first === undefined) return [...parts]
  const citations = texts.flatMap(part => part.citations ?? [])
  const content: Part = { ...first, text: texts.map(({ text }) => text).join(''), citations }
  return parts.flatMap<Part>(part => (part.kind !== 'text' ? [part] : part === first ? [content] : []))
}

function partContent(part: Part): unknown {
  switch (part.kind) {
    case 'text':
      return [part.kind, part.text, (part.citations ?? []).map(({ url, title }) => [url, title])]
    case 'refusal':
      return [part.kind, part.text]
    case 'call':
      return [part.kind, part.form, part.id, part.name, part.namespace, argumentsOf(part.input)]
    case 'reasoning':
      return [part.kind, part.summary, part.text, part.seal]
    case 'hosted':
      return [part.kind, part.type]
    default:
      return [part.kind]
  }
}

/** Parsed, because Messages has arguments as an object and so loses their spelling. */
function argumentsOf(text: string): unknown {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && '_raw' in value ? 'cut off' : value
  } catch {
    return 'cut off'
  }
}

function textOf({ turns }: Answer): string {
  const parts = turns.flatMap(turn => turn.parts)
  return parts.map(textOfPart).join('')
}

/** Also what a part says that only its own wire has. */
function textOfPart(part: Part): string {
  if (part.kind === 'text' || part.kind === 'refusal') return part.text
  if (part.kind !== 'opaque') return ''
  return (part.read?.(part.value as JsonObject, part.path) ?? []).map(textOfPart).join('')
}
