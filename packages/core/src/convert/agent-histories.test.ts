/** What agents send back or send along in every turn, and what each of it means to other wires. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'

type Wire = 'chat' | 'responses' | 'messages'

const user = { role: 'user', content: 'x' }
const convert = (from: Wire, to: Wire, body: JsonObject) => createExchange({ from, to }).request(body)
const losses = (from: Wire, to: Wire, body: JsonObject) =>
  convert(from, to, body).diagnostics.filter(({ severity }) => severity !== 'info')

describe.each(['responses', 'messages'] as const)('a Chat history on %s', to => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }

  test('The empty lists and nulls of an answer of OpenAI that calls tools are no loss.', () => {
    const assistant = { role: 'assistant', refusal: null, annotations: [], tool_calls: [call] }
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'y' }
    for (const content of [null, '', 'I call it.']) {
      const body = { model: 'm', messages: [user, { ...assistant, content }, result] }
      expect(losses('chat', to, body)).toEqual([])
      expect(convert('chat', 'chat', body).value).toEqual(body)
    }
  })

  test('The name of a tool beside its result is no loss, for its call names it.', () => {
    const assistant = { role: 'assistant', content: null, tool_calls: [call] }
    const result = { role: 'tool', tool_call_id: 'call_1', name: 'f', content: 'y' }
    expect(losses('chat', to, { model: 'm', messages: [user, assistant, result] })).toEqual([])
  })
})

describe.each(['chat', 'responses'] as const)('a request of Messages on %s', to => {
  test('The format that stood in a field of its own in the beta is carried, and stays there on its wire.', () => {
    const schema = { type: 'object', properties: {} }
    const output_format = { type: 'json_schema', schema }
    const body = { model: 'm', max_tokens: 99, messages: [user], output_format }
    const { value, diagnostics } = convert('messages', to, body)
    expect(value).toMatchObject(
      to === 'chat'
        ? { response_format: { type: 'json_schema', json_schema: { schema } } }
        : { text: { format: { type: 'json_schema', schema } } },
    )
    expect(diagnostics).toEqual([])
    expect(convert('messages', 'messages', body).value).toEqual(body)
  })

  test('What is not known of a format in the field of the beta is reported, and stays on its wire.', () => {
    const output_format = { type: 'json_schema', schema: { type: 'object' }, x: 1 }
    const body = { model: 'm', max_tokens: 99, messages: [user], output_format }
    const { value, diagnostics } = convert('messages', to, body)
    expect(value.response_format ?? value.text).toBeDefined()
    expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['output_format', 'x'] }])
    expect(convert('messages', 'messages', body).value).toEqual(body)
  })

  test('Empty lists of content make no messages.', () => {
    const assistant = { role: 'assistant', content: [] }
    const messages = [user, assistant, { role: 'user', content: [] }, user]
    const { value } = convert('messages', to, { model: 'm', max_tokens: 99, system: [], messages })
    expect(value.messages ?? value.input).toMatchObject([user, user])
  })

  test('What is not known of a change of tools is reported with its place.', () => {
    const tool = { type: 'tool_reference', name: 'f', new: 'x' }
    const changed = { role: 'system', content: [{ type: 'tool_removal', tool }] }
    const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }]
    const { diagnostics } = convert('messages', to, {
      model: 'm',
      max_tokens: 99,
      tools,
      messages: [user, changed],
    })
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ path: ['messages', 1, 'content', 0, 'tool', 'new'] }),
    )
  })
})

test.each(['chat', 'messages'] as const)('A prompt that OpenAI holds is a missing context on %s.', to => {
  const body = { model: 'm', input: 'x', prompt: { id: 'pmpt_1' } }
  expect(losses('responses', to, body)).toMatchObject([{ code: 'context_dropped', path: ['prompt'] }])
})

test('A server of Messages that takes no format does not get it in the field of the beta either.', () => {
  const output_format = { type: 'json_schema', schema: { type: 'object' } }
  const profile = { refusedSettings: ['format'] as const }
  const { value, diagnostics } = createExchange({ from: 'messages', to: 'messages', profile }).request({
    model: 'm',
    max_tokens: 99,
    messages: [user],
    output_format,
  })
  expect(value).not.toHaveProperty('output_format')
  expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['output_format'] }])
})

test('Only a request refers to a missing context: a field of this name elsewhere is just a field.', () => {
  const tool = { type: 'function', prompt: 'x', function: { name: 'f', parameters: { type: 'object' } } }
  const request = { model: 'm', messages: [user], tools: [tool] }
  expect(losses('chat', 'responses', request)).toMatchObject([
    { code: 'field_dropped', path: ['tools', 0, 'prompt'] },
  ])
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }
  const answer = { object: 'chat.completion', choices: [choice], prompt: [] }
  const { diagnostics } = createExchange({ from: 'responses', to: 'chat' }).response(answer)
  expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['prompt'] }])
})
