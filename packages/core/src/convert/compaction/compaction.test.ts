import { describe, expect, test } from 'vitest'
import { createExchange } from '../../create-exchange.ts'
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import type { Seal } from '../shared/envelope.ts'

/** Reversible, and enough to tell what was sealed for whom. */
function sealOf(owner: string): Seal {
  const turned = (text: string): string => [...text].reverse().join('')
  return {
    seal: text => `${owner}:${turned(text)}`,
    open: sealed => (sealed.startsWith(`${owner}:`) ? turned(sealed.slice(owner.length + 1)) : undefined),
  }
}

type Wire = 'chat' | 'responses' | 'messages'
type Options = Partial<Parameters<typeof createExchange>[0]>

function exchangeOf(from: Wire, to: Wire, options: Options = {}): ReturnType<typeof createExchange> {
  let count = 0
  return createExchange({
    from,
    to,
    seal: sealOf('ann'),
    compacts: true,
    profile: { compacts: false },
    newId: prefix => `${prefix}${++count}`,
    now: () => 1,
    ...options,
  })
}

const answers: Readonly<Record<Wire, (text: string) => JsonObject>> = {
  chat: text => ({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  }),
  responses: text => ({
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
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  }),
  messages: text => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  }),
}

const demanding = ['responses', 'messages'] as const
const wires = ['chat', 'responses', 'messages'] as const
const pairs = demanding.flatMap(from => wires.map(to => [from, to] as const))

/** A question, a call with its result, an answer, and another question. */
const histories: Readonly<Record<(typeof demanding)[number], readonly JsonObject[]>> = {
  responses: [
    { role: 'user', content: 'First question' },
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"moon"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'cheese' },
    { role: 'assistant', content: 'First answer' },
    { role: 'user', content: 'Second question' },
  ],
  messages: [
    { role: 'user', content: 'First question' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'moon' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'cheese' }] },
    { role: 'assistant', content: 'First answer' },
    { role: 'user', content: 'Second question' },
  ],
}

const tools: Readonly<Record<(typeof demanding)[number], JsonObject>> = {
  responses: { type: 'function', name: 'look', parameters: { type: 'object' } },
  messages: { name: 'look', input_schema: { type: 'object' } },
}

function requestOf(wire: (typeof demanding)[number], more: readonly JsonObject[] = []): JsonObject {
  const history = [...histories[wire], ...more]
  return wire === 'responses'
    ? { model: 'm', instructions: 'Be brief.', input: history, tools: [tools.responses] }
    : { model: 'm', max_tokens: 50, system: 'Be brief.', messages: history, tools: [tools.messages] }
}

const onDemand: Readonly<Record<(typeof demanding)[number], JsonObject>> = {
  responses: {
    ...requestOf('responses', [{ type: 'compaction_trigger' }]),
  },
  messages: { ...requestOf('messages'), compaction: { type: 'summarize' } },
}

const automatic: Readonly<Record<(typeof demanding)[number], JsonObject>> = {
  responses: {
    ...requestOf('responses'),
    context_management: [{ type: 'compaction', compact_threshold: 10 }],
  },
  messages: {
    ...requestOf('messages'),
    context_management: {
      edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 10 } }],
    },
  },
}

function compactionIn(answer: JsonObject): JsonObject {
  const list = (answer.output ?? answer.content) as readonly JsonObject[]
  const found = list.find(({ type }) => type === 'compaction')
  if (found === undefined) throw new Error(`No compaction in ${JSON.stringify(answer)}`)
  return found
}

function compacted(from: Wire, to: Wire, body: JsonObject, options: Options = {}): JsonObject {
  const exchange = exchangeOf(from, to, options)
  exchange.request(body)
  const { compaction } = exchange
  if (compaction === undefined) throw new Error('No demand')
  exchange.answerWith(compaction)
  return exchange.response(answers[to]('They looked at the moon.')).value
}

describe.each(pairs)('A client of %s that asks an upstream of %s for a summary', (from, to) => {
  test('has the model asked for it, with the whole conversation and without tools.', () => {
    const exchange = exchangeOf(from, to)
    expect(
      exchange.request(onDemand[from]).diagnostics.filter(({ severity }) => severity !== 'info'),
    ).toEqual([])
    expect(exchange.compaction).toMatchObject({ isAlone: true })
    const { value, diagnostics } = exchange.summaryRequest() ?? { value: {}, diagnostics: [] }
    const text = JSON.stringify(value)
    for (const said of ['First question', 'look', 'moon', 'cheese', 'First answer', 'Second question'])
      expect(text).toContain(said)
    expect(value.tools).toBeUndefined()
    expect(text).not.toContain('Be brief.')
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
  })

  test('gets it sealed as the only item, whole and streamed alike, with its usage.', () => {
    const whole = compacted(from, to, onDemand[from])
    const exchange = exchangeOf(from, to)
    exchange.request(onDemand[from])
    if (exchange.compaction !== undefined) exchange.answerWith(exchange.compaction)
    const stream = exchange.stream()
    const text = stream.whole(answers[to]('They looked at the moon.')) + stream.end()
    expect(stream.failure).toBeUndefined()
    expect(text).toContain('compaction')
    const strip = (item: JsonObject): JsonObject => ({ ...item, id: '' })
    expect(strip(compactionIn(stream.answer ?? {}))).toEqual(strip(compactionIn(whole)))
    expect(JSON.stringify(whole)).toContain('toolwire-sealed.')
    if (from === 'responses') {
      expect(whole.output).toHaveLength(1)
      expect(whole).toMatchObject({ status: 'completed', usage: { input_tokens: 100, output_tokens: 10 } })
    } else {
      expect(whole).toMatchObject({
        stop_reason: 'compaction',
        content: [{ content: 'They looked at the moon.' }],
        usage: { iterations: [{ type: 'compaction', input_tokens: 100, output_tokens: 10 }] },
      })
    }
  })

  test('continues from it: the summary stands for what came before.', () => {
    const item = compactionIn(compacted(from, to, onDemand[from]))
    const next =
      from === 'responses'
        ? [...histories.responses, item, { role: 'user', content: 'Third question' }]
        : [
            { role: 'assistant', content: [item] },
            { role: 'user', content: 'Third question' },
          ]
    const body =
      from === 'responses' ? { model: 'm', input: next } : { model: 'm', max_tokens: 50, messages: next }
    const { value, diagnostics } = exchangeOf(from, to).request(body)
    const text = JSON.stringify(value)
    expect(text).toContain('Summary of the conversation so far:\\n\\nThey looked at the moon.')
    expect(text).toContain('Third question')
    expect(text).not.toContain('toolwire-sealed.')
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test("goes on with a note in its place if it was changed, or is another client's.", () => {
    const item = compactionIn(compacted(from, to, onDemand[from]))
    const sent = [
      { ...item, ...altered(item) },
      compactionIn(compacted(from, to, onDemand[from], { seal: sealOf('bob') })),
    ]
    for (const foreign of sent) {
      const message = { role: 'user', content: 'Third question' }
      const body =
        from === 'responses'
          ? { model: 'm', input: [foreign, message] }
          : { model: 'm', max_tokens: 50, messages: [{ role: 'assistant', content: [foreign] }, message] }
      const { value, diagnostics } = exchangeOf(from, to).request(body)
      const text = JSON.stringify(value)
      expect(text).not.toContain('Summary of the conversation so far')
      expect(text).toContain('which cannot be read')
      expect(text).toContain('Third question')
      expect(diagnostics.map(({ code }) => code)).toContain('compaction_unreadable')
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    }
  })

  test('is told clearly if the model writes none.', () => {
    const exchange = exchangeOf(from, to)
    exchange.request(onDemand[from])
    if (exchange.compaction !== undefined) exchange.answerWith(exchange.compaction)
    const { value, finish } = exchange.response(answers[to](''))
    expect(finish).toBe('failed')
    expect(JSON.stringify(value)).toContain('the model wrote no summary')
    const stream = exchange.stream()
    expect(stream.whole(answers[to](''))).toContain('the model wrote no summary')
    expect(stream.failure).toContain('no summary')
  })
})

describe.each(pairs)('A client of %s with a threshold, over %s,', (from, to) => {
  test('gets a summary before the answer, and the upstream the summary and the last turns.', () => {
    const exchange = exchangeOf(from, to)
    exchange.request(automatic[from])
    const { compaction } = exchange
    expect(compaction).toMatchObject({ threshold: 10, isAlone: false })
    expect(exchange.summaryRequest({ whole: true })).toBeDefined()
    const { made } = exchange.summaryOf(answers[to]('They looked at the moon.'))
    if (made === undefined || compaction === undefined) throw new Error('Nothing made')
    const { value, diagnostics } = exchange.request(automatic[from], { compacted: made })
    const text = JSON.stringify(value)
    expect(text).toContain('Summary of the conversation so far:\\n\\nThey looked at the moon.')
    expect(text).toContain('Second question')
    expect(text).not.toContain('First question')
    expect(text).toContain('Be brief.')
    expect(text).not.toContain('context_management')
    expect(diagnostics.map(({ code }) => code)).toContain('turn_compacted')
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
    exchange.answerWith(compaction, made)
    const whole = exchange.response(answers[to]('Second answer')).value
    const list = (whole.output ?? whole.content) as readonly JsonObject[]
    expect(list[0]).toMatchObject({ type: 'compaction' })
    expect(JSON.stringify(list[1])).toContain('Second answer')
    const usage = isObject(whole.usage) ? whole.usage : {}
    if (from === 'responses') expect(usage).toMatchObject({ input_tokens: 200, output_tokens: 20 })
    else {
      expect(usage).toMatchObject({
        input_tokens: 100,
        iterations: [{ type: 'compaction', input_tokens: 100 }, { type: 'message' }],
      })
    }
    const stream = exchange.stream()
    stream.whole(answers[to]('Second answer'))
    const strip = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (key, inner) => (key === 'id' ? '' : inner))
    expect(strip(stream.answer?.output ?? stream.answer?.content)).toEqual(strip(list))
  })
})

function altered(item: JsonObject): JsonObject {
  const field = typeof item.signature === 'string' ? 'signature' : 'encrypted_content'
  return { [field]: `${String(item[field]).slice(0, -3)}xyz` }
}

test('Where the upstream compacts itself, what asks for it is passed on as it is.', () => {
  for (const wire of demanding) {
    for (const body of [onDemand[wire], automatic[wire]]) {
      const exchange = exchangeOf(wire, wire, { profile: {} })
      expect(exchange.request(body).value).toEqual(body)
      expect(exchange.compaction).toBeUndefined()
      expect(exchange.isPassthrough).toBe(true)
    }
  }
})

test('Of several upstreams on one wire, each gets its own compaction back, and the others a note.', () => {
  const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'cipher' }
  const options = { sealsOwnWire: true, profile: {} }
  const first = exchangeOf('responses', 'responses', { ...options, upstream: 'a' })
  first.request(onDemand.responses)
  const sent = compactionIn(first.response({ ...answers.responses(''), output: [item] }).value)
  expect(sent.encrypted_content).not.toBe('cipher')
  const body = { model: 'm', input: [sent, { role: 'user', content: 'Next' }] }
  expect(
    exchangeOf('responses', 'responses', { ...options, upstream: 'a' }).request(body).value.input,
  ).toEqual([item, { role: 'user', content: 'Next' }])
  const other = exchangeOf('responses', 'responses', { ...options, upstream: 'b' }).request(body)
  expect(JSON.stringify(other.value)).toContain('which cannot be read')
  expect(other.diagnostics.map(({ code }) => code)).toEqual(['compaction_unreadable'])
})

test('A ciphertext of another server becomes a note, and the conversation goes on.', () => {
  const body = {
    model: 'm',
    input: [
      { type: 'compaction', encrypted_content: 'cipher' },
      { role: 'user', content: 'Next' },
    ],
  }
  for (const to of ['chat', 'messages'] as const) {
    const { value, diagnostics } = exchangeOf('responses', to).request(body)
    expect(JSON.stringify(value)).toContain('which cannot be read')
    expect(diagnostics.map(({ code }) => code)).toContain('compaction_unreadable')
  }
})

test('Without a conversation there is nothing to summarise, which is an error.', () => {
  const exchange = exchangeOf('responses', 'chat')
  exchange.request({ model: 'm', instructions: 'Be brief.', input: [{ type: 'compaction_trigger' }] })
  expect(exchange.summaryRequest()?.diagnostics.map(({ code }) => code)).toEqual(['compaction_empty'])
})
