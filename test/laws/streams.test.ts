/** The laws over streams: for every pair of wires, the stream amounts to the answer that would have come whole. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../packages/core/src/model/answer.ts'
import type { Part } from '../../packages/core/src/model/conversation.ts'
import { createReport } from '../../packages/core/src/model/diagnostic.ts'
import { foldEvents } from '../../packages/core/src/model/fold-events.ts'
import type { StreamEvent } from '../../packages/core/src/model/stream-event.ts'
import { createSseParser } from '../../packages/core/src/sse/sse-parser.ts'
import { builtInConversations } from '../../packages/core/src/wires/registry.ts'
import { wires } from '../support/fixtures/fixtures.ts'
import { judge } from '../support/streams/event-order.ts'
import { pinned, streamFixtures } from '../support/streams/fixtures.ts'

const fixed = { newId: (prefix: string) => `${prefix}fixed`, now: () => 1_700_000_000 }

describe.each(streamFixtures)('$wire/$story', ({ wire: to, body, events }) => {
  describe.each(wires)('for a client on %s', from => {
    const request = { stream: true, stream_options: { include_usage: true } }

    function convert(pieces: readonly (string | Uint8Array)[], ids = fixed): string {
      const exchange = createExchange({ from, to, ...ids })
      exchange.request(request)
      const stream = exchange.stream()
      return pieces.map(piece => stream.push(piece)).join('') + stream.end()
    }

    test('[C14] stream = whole', () => {
      const streamed = foldEvents(decode(from, convert(events, pinned)))
      const { value } = createExchange({ from, to, ...pinned }).response(body)
      const whole = builtInConversations[from].decodeAnswer(value, createReport().report)
      expect(essence(streamed, from)).toEqual(essence(whole, from))
    })

    if (from === to) {
      test('identity: on one wire the bytes pass as they are', () =>
        expect(convert(events)).toBe(events.join('')))
    }

    test('cuts do not matter: every byte alone, and every cut in two', () => {
      const bytes = new TextEncoder().encode(events.join(''))
      const once = convert([bytes])
      expect(convert(Array.from(bytes, byte => Uint8Array.of(byte)))).toBe(once)
      for (let cut = 1; cut < bytes.length; cut += 7) {
        expect(convert([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(once)
      }
    })

    test('grammar: every event is in its place, whole or cut short', () => {
      for (let kept = 0; kept <= events.length; kept++) {
        expect(judge(from, convert(events.slice(0, kept), pinned)), `${kept} events`).toEqual([])
      }
    })

    test('a stream cut short fails, exactly once, and never succeeds', () => {
      for (let kept = 0; kept < events.length; kept++) {
        const said = decode(from, convert(events.slice(0, kept), pinned)).filter(isTerminal)
        const ended = decode(to, events.slice(0, kept).join('')).some(({ type }) => type === 'finish')
        expect(said.map(({ type }) => type)).toEqual([ended ? 'finish' : 'error'])
      }
    })

    test('text before a failure is kept', () => {
      const half = events.slice(0, Math.ceil(events.length / 2))
      const before = foldEvents(decode(to, half.join('')))
      const after = foldEvents(decode(from, convert(half, pinned)))
      expect(wordsOf(after)).toBe(wordsOf(before))
    })
  })
})

function decode(wire: Wire, text: string): StreamEvent[] {
  const parser = createSseParser()
  const decoder = builtInConversations[wire].createStreamDecoder(createReport().report)
  return [...[...parser.push(text), ...parser.end()].flatMap(frame => decoder.push(frame)), ...decoder.end()]
}

function isTerminal({ type }: StreamEvent): boolean {
  return type === 'finish' || type === 'error'
}

/** What an answer says, without the ids that are made anew each time. */
function essence({ turns, finish, usage }: Answer, wire: Wire): unknown {
  const parts = turns.flatMap(turn => turn.parts)
  const { residue: _, ...counts } = usage ?? {}
  return {
    said: wire === 'chat' ? inChatOrder(parts).map(gist) : parts.map(gist),
    reason: finish.reason,
    counts,
  }
}

/** On Chat all text is one content, whatever stood between its pieces. */
function inChatOrder(parts: readonly Part[]): Part[] {
  const texts = parts.filter(part => part.kind === 'text')
  const [first] = texts
  if (first === undefined) return [...parts]
  const citations = texts.flatMap(part => part.citations ?? [])
  const content: Part = { ...first, text: texts.map(({ text }) => text).join(''), citations }
  return parts.flatMap<Part>(part => (part.kind !== 'text' ? [part] : part === first ? [content] : []))
}

function gist(part: Part): unknown {
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

/** Messages says arguments as an object, so their spelling is its own; what was cut off is no object on any wire. */
function argumentsOf(text: string): unknown {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && '_raw' in value ? 'cut off' : value
  } catch {
    return 'cut off'
  }
}

function wordsOf({ turns }: Answer): string {
  const parts = turns.flatMap(turn => turn.parts)
  return parts.map(part => (part.kind === 'text' || part.kind === 'refusal' ? part.text : '')).join('')
}
