/**
 * Compaction over generated conversations, on every pair of wires: no call is parted from its result, the last turns stay, a
 * stream gives what the whole answer gives, and nothing that was not sealed here for this client counts as a summary.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeal, deriveSealKey } from '../../packages/toolwire/src/gateway/sealing/create-seal.ts'

type Json = Record<string, unknown>

const clients = ['responses', 'messages'] as const
type Client = (typeof clients)[number]
const pairs = clients.flatMap(from => (['chat', 'responses', 'messages'] as const).map(to => ({ from, to })))
const key = deriveSealKey('a secret')
const summary = 'THE-SUMMARY'

interface Step {
  readonly kind: 'user' | 'assistant' | 'calls'
  readonly words: number
  readonly count: number
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('user' as const, 'assistant' as const, 'calls' as const),
    words: fc.integer({ min: 1, max: 400 }),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 14 },
)

/** The conversation in a client's form. Each text has a word of its own; the last turn is the user's. */
function historyOf(from: Client, all: readonly Step[]): readonly Json[] {
  const items = all.flatMap((step, at): readonly Json[] => {
    const text = `turn-${at}- ${'word '.repeat(step.words)}`
    if (step.kind !== 'calls') return [{ role: step.kind, content: text }]
    const ids = Array.from({ length: step.count }, (_, n) => `call_${at}_${n}`)
    if (from === 'responses') {
      return [
        ...ids.map(call_id => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' })),
        ...ids.map(call_id => ({ type: 'function_call_output', call_id, output: text })),
      ]
    }
    return [
      { role: 'assistant', content: ids.map(id => ({ type: 'tool_use', id, name: 'look', input: {} })) },
      { role: 'user', content: ids.map(id => ({ type: 'tool_result', tool_use_id: id, content: text })) },
    ]
  })
  return [...items, { role: 'user', content: 'the-last-words' }]
}

function bodyOf(from: Client, history: readonly Json[], threshold: number): Json {
  return from === 'responses'
    ? {
        model: 'm',
        input: history,
        context_management: [{ type: 'compaction', compact_threshold: threshold }],
      }
    : {
        model: 'm',
        max_tokens: 9,
        messages: history,
        context_management: {
          edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: threshold } }],
        },
      }
}

function open(from: Client, to: Wire, owner = 'ann'): ReturnType<typeof createExchange> {
  const seal = createSeal([key], owner)
  const options = { seal, compacts: true, profile: { compacts: false, cachesOnRequest: false } }
  return createExchange({ from, to, ...options, newId: prefix => `${prefix}id`, now: () => 1 })
}

const answers: Readonly<Record<Wire, Json>> = {
  chat: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: summary }, finish_reason: 'stop' }],
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: summary, annotations: [] }],
      },
    ],
  },
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: summary }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}

/** The calls and results in a request, on whichever wire. */
function pairsIn(value: Json): { readonly called: string[]; readonly answered: string[] } {
  const text = JSON.stringify(value)
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, id]) => id ?? '').sort()
  const called = [...all(/"(?:type":"function_call","call_id|type":"tool_use","id)":"(call_\w+)"/g)]
  const chat = all(/"id":"(call_\w+)","type":"function"/g)
  return {
    called: [...called, ...chat].sort(),
    answered: all(/"(?:function_call_output","call_id|tool_use_id|tool_call_id)":"(call_\w+)"/g),
  }
}

function compact(from: Client, to: Wire, all: readonly Step[], threshold: number) {
  const body = bodyOf(from, historyOf(from, all), threshold)
  const exchange = open(from, to)
  exchange.request(body)
  const { compaction } = exchange
  const { made } = exchange.summaryOf(answers[to])
  if (compaction === undefined || made === undefined) throw new Error('Nothing was asked for.')
  const { value, diagnostics } = exchange.request(body, { compacted: made })
  exchange.answerWith(compaction, made)
  return { exchange, value, diagnostics, body }
}

test.each(pairs)('A compaction from $from to $to parts no call from its result.', ({ from, to }) => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 3000 }), (all, threshold) => {
      const { value, diagnostics } = compact(from, to, all, threshold)
      const { called, answered } = pairsIn(value)
      expect(called).toEqual(answered)
      expect(JSON.stringify(value)).toContain('the-last-words')
      expect(JSON.stringify(value)).toContain(summary)
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
      // What is left out is said, and what stays is the end of the conversation.
      const kept = all.map((_, at) => JSON.stringify(value).includes(`turn-${at}-`))
      const first = kept.indexOf(true)
      if (all.some(({ kind }) => kind !== 'user')) {
        expect(first === -1 || kept.slice(first).every(Boolean)).toBe(true)
        const gone = diagnostics.filter(({ code }) => code === 'turn_compacted')
        expect(gone.length > 0).toBe(kept.includes(false))
      }
    }),
    { numRuns: 60 },
  )
})

test.each(pairs)('A stream and a whole answer from $to give $from the same compaction.', ({ from, to }) => {
  fc.assert(
    fc.property(steps, all => {
      const { exchange } = compact(from, to, all, 500)
      const whole = exchange.response(answers[to]).value
      const stream = exchange.stream()
      stream.whole(answers[to])
      const contentOf = ({ output, content }: Json): unknown =>
        JSON.parse(JSON.stringify(output ?? content), (name, inner) => (name === 'id' ? '' : inner))
      expect(contentOf(stream.answer ?? {})).toEqual(contentOf(whole))
    }),
    { numRuns: 20 },
  )
})

test.each(pairs)(
  'What comes back from $from begins alike over $to, with and without what came before.',
  ({ from, to }) => {
    fc.assert(
      fc.property(steps, all => {
        const { exchange, value, body } = compact(from, to, all, 500)
        const answer = exchange.response(answers[to]).value
        const said = (answer.output ?? [{ role: 'assistant', content: answer.content }]) as readonly Json[]
        const field = from === 'responses' ? 'input' : 'messages'
        const next = [...(body[field] as Json[]), ...said, { role: 'user', content: 'more' }]
        const sent = open(from, to).request({ ...body, [field]: next }).value
        const list = to === 'responses' ? 'input' : 'messages'
        const before = [value[list]].flat().map(item => JSON.stringify(item))
        const after = [sent[list]].flat().map(item => JSON.stringify(item))
        expect(after.slice(0, before.length)).toEqual(before)
      }),
      { numRuns: 20 },
    )
  },
)

test.each(pairs)(
  'Nothing that was changed, or is of another owner, is a summary from $from to $to.',
  ({ from, to }) => {
    const { exchange } = compact(from, to, [{ kind: 'assistant', words: 9, count: 1 }], 500)
    const answer = exchange.response(answers[to]).value
    const [item] = (answer.output ?? answer.content) as readonly Json[]
    const sealed = String(item?.encrypted_content)
    const asked = (encrypted_content: string, owner?: string): string => {
      const changed = { ...item, encrypted_content }
      const first = from === 'responses' ? changed : { role: 'assistant', content: [changed] }
      const { value, diagnostics } = open(from, to, owner).request(
        bodyOf(from, [first, { role: 'user', content: 'more' }], 500),
      )
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
      return JSON.stringify(value)
    }
    expect(asked(sealed)).toContain('Summary of the conversation so far')
    expect(asked(sealed, 'bob')).not.toContain('Summary of the conversation so far')
    fc.assert(
      fc.property(fc.nat({ max: sealed.length - 1 }), fc.constantFrom('A', 'B', '.', ''), (at, letter) => {
        fc.pre(sealed[at] !== letter)
        const text = asked(sealed.slice(0, at) + letter + sealed.slice(at + 1))
        expect(text).not.toContain('Summary of the conversation so far:\\n\\nTHE-SUMMARY"')
        expect(text).toContain('more')
      }),
      { numRuns: 60 },
    )
  },
)
