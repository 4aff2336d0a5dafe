/** The order of calls and their results in converted requests, and the ids that pair them. */
import type { ExchangeOptions, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { orderOf } from '../support/fixtures/strict-readers.ts'
import { pairs } from '../support/wires.ts'

type Item = Record<string, unknown>

const user = { role: 'user', content: 'hi' }
const fc = (id: string, args = '{}'): Item => ({
  type: 'function_call',
  call_id: id,
  name: 'w',
  arguments: args,
})
const fo = (id: string, output: unknown): Item => ({ type: 'function_call_output', call_id: id, output })

describe('the order of a turn with calls', () => {
  const words = { question: 'Where?', before: 'I look.', after: 'There.', next: 'And now?' }
  const sources: { readonly [W in Wire]: Item } = {
    chat: {
      messages: [
        { role: 'user', content: words.question },
        {
          role: 'assistant',
          content: words.before,
          tool_calls: ['a', 'b'].map(id => ({
            id,
            type: 'function',
            function: { name: 'w', arguments: '{}' },
          })),
        },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'assistant', content: words.after },
        { role: 'user', content: words.next },
      ],
    },
    responses: {
      input: [
        { role: 'user', content: words.question },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words.before }] },
        { ...fc('a'), id: 'fc_1' },
        { ...fc('b'), id: 'fc_2' },
        fo('b', '2'),
        fo('a', '1'),
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words.after }] },
        { role: 'user', content: words.next },
      ],
    },
    messages: {
      max_tokens: 100,
      messages: [
        { role: 'user', content: words.question },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: words.before },
            ...['a', 'b'].map(id => ({ type: 'tool_use', id, name: 'w', input: {} })),
          ],
        },
        {
          role: 'user',
          content: ['b', 'a'].map(id => ({ type: 'tool_result', tool_use_id: id, content: id })),
        },
        { role: 'assistant', content: words.after },
        { role: 'user', content: words.next },
      ],
    },
  }

  test.each(pairs.filter(([from, to]) => from !== to))(
    'A turn converted from %s to %s has its text first, then the calls, then their results. [C12]',
    (from, to) => {
      const { value, diagnostics } = createExchange({ from, to }).request({ model: 'm', ...sources[from] })
      expect(orderOf(to, value)).toEqual([
        'user',
        'assistant',
        ...['call a', 'call b'],
        ...['result a', 'result b'],
        'assistant',
        'user',
      ])
      for (const text of Object.values(words)) expect(JSON.stringify(value)).toContain(text)
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    },
  )

  const broken = {
    messages: [
      user,
      { role: 'tool', tool_call_id: 'lost', content: '1' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'open', type: 'function', function: { name: 'w', arguments: '{}' } }],
      },
      user,
    ],
  }

  test.each(['responses', 'messages'] as const)(
    'Converted to %s, a call or result without its partner is an error unless an option says otherwise. [C12]',
    to => {
      const convert = (options: Partial<ExchangeOptions>): { order: string[]; codes: string[] } => {
        const exchange = createExchange({ from: 'chat', to, ...options })
        const { value, diagnostics } = exchange.request({ model: 'm', max_tokens: 100, ...broken })
        return { order: orderOf(to, value), codes: diagnostics.map(({ code }) => code) }
      }
      for (const options of [{}, { pairing: 'error' as const }]) {
        expect(convert(options).codes).toEqual(expect.arrayContaining(['orphan_result', 'missing_result']))
      }
      const repaired = convert({ pairing: 'repair' })
      expect(repaired.order).toEqual(['user', 'call lost', 'result lost', 'call open', 'result open', 'user'])
      expect(repaired.codes.filter(code => code === 'result_repaired')).toHaveLength(2)
      expect(convert({ pairing: 'pass' }).codes).not.toContain('orphan_result')
    },
  )
})

describe('the ids of calls', () => {
  // Each item has the other one's call_id for its own id.
  const input = [
    user,
    { ...fc('call_1', '{"n":1}'), id: 'call_2' },
    { ...fc('call_2', '{"n":2}'), id: 'call_1' },
    fo('call_2', 'of 2'),
    fo('call_1', 'of 1'),
  ]

  const historyFor = (to: Wire): Item[] =>
    createExchange({ from: 'responses', to }).request({ model: 'm', input }).value.messages as Item[]

  test('Calls and results of Responses are paired by call_id, whatever the ids of their items. [C24]', () => {
    const messages = historyFor('chat')
    expect(messages.slice(1)).toMatchObject([
      {
        tool_calls: [
          { id: 'call_1', function: { arguments: '{"n":1}' } },
          { id: 'call_2', function: { arguments: '{"n":2}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'of 1' },
      { role: 'tool', tool_call_id: 'call_2', content: 'of 2' },
    ])
    expect(historyFor('messages').slice(1)).toMatchObject([
      {
        content: [
          { type: 'tool_use', id: 'call_1', input: { n: 1 } },
          { type: 'tool_use', id: 'call_2', input: { n: 2 } },
        ],
      },
      {
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: 'of 1' },
          { type: 'tool_result', tool_use_id: 'call_2', content: 'of 2' },
        ],
      },
    ])
  })

  test.each(['chat', 'messages'] as const)(
    'Call ids of a %s answer become the call_id of Responses items, which have ids of their own. [C24]',
    to => {
      const answers = {
        chat: {
          choices: [
            {
              index: 0,
              finish_reason: 'tool_calls',
              message: {
                role: 'assistant',
                content: null,
                tool_calls: ['call_1', 'call_2'].map(id => ({
                  id,
                  type: 'function',
                  function: { name: 'w', arguments: '{}' },
                })),
              },
            },
          ],
        },
        messages: {
          type: 'message',
          role: 'assistant',
          stop_reason: 'tool_use',
          content: ['call_1', 'call_2'].map(id => ({ type: 'tool_use', id, name: 'w', input: {} })),
        },
      }
      const { value } = createExchange({ from: 'responses', to }).response(answers[to])
      const items = value.output as Item[]
      expect(items.map(({ call_id }) => call_id)).toEqual(['call_1', 'call_2'])
      for (const { id } of items) expect(id).toMatch(/^fc_./)
      expect(new Set(items.map(({ id }) => id)).size).toBe(2)
    },
  )
})
