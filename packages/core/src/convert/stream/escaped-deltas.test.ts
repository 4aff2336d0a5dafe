/** Texts keep their meaning between wires, however their characters are escaped in JSON. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createExchange } from '../../create-exchange.ts'
import { createSseParser } from '../../sse/sse-parser.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'

const wires: readonly Wire[] = ['chat', 'responses', 'messages']
const pairs = wires.flatMap(from => wires.filter(to => to !== from).map(to => ({ from, to })))
const fixed = { newId: (prefix: string) => `${prefix}fixed`, now: () => 1_700_000_000 }

/** What a model says: pieces of a text and of a call's arguments, as they stand between quotes of JSON. */
interface Spelled {
  readonly said: readonly string[]
  readonly args: readonly string[]
}

const named = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
/** The mark is where the letters go, which no `JSON.stringify` may touch. */
const mark = '§'
const spelledBy = (template: string, letters: readonly string[]): string[] =>
  letters.map(piece => template.replace(mark, () => piece))

const streams: { readonly [W in Wire]: (spelled: Spelled) => string } = {
  chat({ said, args }) {
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    return [
      ...spelledBy(chunk({ content: mark }), said),
      chunk({
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }],
      }),
      ...spelledBy(chunk({ tool_calls: [{ index: 0, function: { arguments: mark } }] }), args),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join('')
  },
  responses({ said, args }) {
    const type = 'response.output_text.delta'
    const input = 'response.function_call_arguments.delta'
    const message = { type: 'message', id: 'm_1', role: 'assistant', content: [] }
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '' }
    return [
      named({ type: 'response.created', response: { id: 'r', model: 'm', created_at: 1 } }),
      ...spelledBy(named({ type, item_id: 'm_1', output_index: 0, content_index: 0, delta: mark }), said),
      named({ type: 'response.output_item.done', output_index: 0, item: message }),
      named({ type: 'response.output_item.added', output_index: 1, item: call }),
      ...spelledBy(named({ type: input, item_id: 'fc_1', output_index: 1, delta: mark }), args),
      named({ type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed' } }),
    ].join('')
  },
  messages({ said, args }) {
    const type = 'content_block_delta'
    const block = { type: 'tool_use', id: 'call_1', name: 'f', input: {} }
    return [
      named({ type: 'message_start', message: { id: 'm', model: 'm', content: [] } }),
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      ...spelledBy(named({ type, index: 0, delta: { type: 'text_delta', text: mark } }), said),
      named({ type: 'content_block_stop', index: 0 }),
      named({ type: 'content_block_start', index: 1, content_block: block }),
      ...spelledBy(named({ type, index: 1, delta: { type: 'input_json_delta', partial_json: mark } }), args),
      named({ type: 'content_block_stop', index: 1 }),
      named({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
      named({ type: 'message_stop' }),
    ].join('')
  },
}

interface Told {
  text: string
  args: string
  /** The same as the end of the stream repeats them, where it does. */
  whole?: { readonly text: string; readonly args: string }
}

interface Events {
  readonly chat: {
    readonly choices?: readonly {
      readonly delta?: {
        readonly content?: string | null
        readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
      }
    }[]
  }
  readonly responses: {
    readonly type: string
    readonly delta?: string
    readonly response?: {
      readonly output: readonly {
        readonly content?: readonly { readonly text: string }[]
        readonly arguments?: string
      }[]
    }
  }
  readonly messages: { readonly delta?: { readonly text?: string; readonly partial_json?: string } }
}

// What is read here is what the client gets: each event on its own, by the platform's parser.
const readers: { readonly [W in Wire]: (data: Events[W], told: Told) => void } = {
  chat(data, told) {
    const delta = data.choices?.[0]?.delta
    told.text += delta?.content ?? ''
    told.args += delta?.tool_calls?.[0]?.function?.arguments ?? ''
  },
  responses(data, told) {
    if (data.type === 'response.output_text.delta') told.text += data.delta
    if (data.type === 'response.function_call_arguments.delta') told.args += data.delta
    if (data.type !== 'response.completed') return
    const [message, call] = data.response?.output ?? []
    told.whole = { text: message?.content?.[0]?.text ?? '', args: call?.arguments ?? '' }
  },
  messages(data, told) {
    told.text += data.delta?.text ?? ''
    told.args += data.delta?.partial_json ?? ''
  },
}

function convert(from: Wire, to: Wire, pieces: readonly (string | Uint8Array)[]): string {
  const exchange = createExchange({ from, to, ...fixed })
  exchange.request({ model: 'm', stream: true })
  const stream = exchange.stream()
  // As it is sent: what could not be said in UTF-8 would be lost here.
  const bytes = pieces.map(piece => new TextEncoder().encode(stream.push(piece)))
  const end = new TextEncoder().encode(stream.end())
  return [...bytes, end].map(part => new TextDecoder().decode(part)).join('')
}

function read(wire: Wire, text: string): Told {
  const told: Told = { text: '', args: '' }
  const parser = createSseParser()
  for (const { data } of [...parser.push(text), ...parser.end()]) {
    if (data !== '[DONE]') readers[wire](JSON.parse(data), told)
  }
  return told
}

/** A character in one of the ways in which JSON lets it be written. */
const spelledUnit = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...'"\\/\n\u2028é🐎'),
    ),
    fc.boolean(),
  )
  .map(([unit, isEscaped]) => {
    if (unit === '/' && isEscaped) return '\\/'
    const codes = Array.from({ length: unit.length }, (_, i) => unit.charCodeAt(i))
    return isEscaped
      ? codes.map(code => `\\u${code.toString(16).padStart(4, '0')}`).join('')
      : JSON.stringify(unit).slice(1, -1)
  })
/** Halves of a character, which may come in two events. */
const half = fc.constantFrom('\\ud83d', '\\udc0e', '\\uD83D', '\\uDC0E')
const letters = fc
  .array(fc.oneof(spelledUnit, spelledUnit, half), { minLength: 1, maxLength: 8 })
  .map(units => units.join(''))
const long = letters.map(piece => piece + 'so much '.repeat(40))
const spelled: fc.Arbitrary<Spelled> = fc.record({
  // A block of text begins with its first word, so there is one.
  said: fc.array(fc.oneof(letters, long), { maxLength: 5 }).map(pieces => ['a', 'b', ...pieces]),
  args: fc.array(fc.oneof(letters, long), { maxLength: 5 }).map(pieces => ['{', '\\"k\\"', ...pieces]),
})

const meaning = (pieces: readonly string[]): string => pieces.map(piece => JSON.parse(`"${piece}"`)).join('')

describe.each(pairs)('a client on $from, an upstream on $to', ({ from, to }) => {
  test('The client receives the same text, however it was escaped.', () => {
    fc.assert(
      fc.property(spelled, given => {
        const told = read(from, convert(from, to, [new TextEncoder().encode(streams[to](given))]))
        const meant = { text: meaning(given.said), args: meaning(given.args) }
        expect(told).toEqual(from === 'responses' ? { ...meant, whole: meant } : meant)
      }),
      { numRuns: 60 },
    )
  })

  test('The client receives the same characters wherever the chunks end.', () => {
    const given = {
      said: ['a', 'b', '\\/', '\\u00e9 é', '\\ud83d', '\\udc0e', '🐎', `\\t${'x'.repeat(300)}`],
      args: ['{', '\\"k\\":', '\\"\\\\n \\u2028\u2028', '\\/\\"', '}'],
    }
    const bytes = new TextEncoder().encode(streams[to](given))
    const once = convert(from, to, [bytes])
    expect(
      convert(
        from,
        to,
        Array.from(bytes, byte => Uint8Array.of(byte)),
      ),
    ).toBe(once)
    for (let cut = 1; cut < bytes.length; cut += 5) {
      expect(convert(from, to, [bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(once)
    }
  })

  test('Unchanged text keeps the escapes that it came with.', () => {
    const given = { said: ['a', 'b', '\\/\\u00e9'], args: ['{', '\\"k\\"', '\\u003a1}'] }
    const text = convert(from, to, [streams[to](given)])
    expect(text).toContain('"\\/\\u00e9"')
    expect(text).toContain('"\\u003a1}"')
  })

  test('No half of a surrogate pair is lost.', () => {
    const given = { said: ['a', 'b', 'x\ud83d', '\udc0ey'], args: ['{', '\\"k\\"', 'x\ud83d', '\udc0ey'] }
    const told = read(from, convert(from, to, [streams[to](given)]))
    expect(told).toMatchObject({ text: 'abx🐎y', args: '{"k"x🐎y' })
  })

  test.each([
    ['an escape that JSON does not know', 'x\\q'],
    ['an escape that is cut short', 'x\\u12'],
    ['a raw control character', 'x\u0001'],
    ['the same in a long piece', `${'x'.repeat(400)}\u0001`],
  ])('The stream fails on %s.', (_, piece) => {
    const text = convert(from, to, [streams[to]({ said: ['a', 'b', 'c'], args: ['{', '\\"k\\"', piece] })])
    expect(text).toMatch(/not (valid )?JSON/)
    expect(text).not.toContain(piece.slice(-3))
  })
})
