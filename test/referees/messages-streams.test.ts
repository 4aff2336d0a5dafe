/** The official SDK reads what the encoder writes, and assembles the intended answer. */

import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import type { Part } from '../../packages/core/src/model/conversation.ts'
import { createReport } from '../../packages/core/src/model/diagnostic.ts'
import type { StreamEvent } from '../../packages/core/src/model/stream-event.ts'
import { messagesConversation } from '../../packages/core/src/wires/messages/conversation.ts'

function encode(events: readonly StreamEvent[], request: JsonObject = { model: 'asked' }) {
  const { report, diagnostics } = createReport()
  let made = 0
  const context = { request, newId: (prefix: string) => `${prefix}${++made}`, now: () => 0 }
  const encoder = messagesConversation.createStreamEncoder(context, report)
  return { text: events.map(event => encoder.push(event)).join(''), diagnostics }
}

function stream(events: readonly StreamEvent[]) {
  const { text } = encode(events)
  const client = new Anthropic({
    apiKey: 'x',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
  return client.messages.stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'q' }] })
}

const start: StreamEvent = { type: 'start', id: 'resp_1', model: 'm' }
const path = ['content']
const textEvent = (index: number, text: string): StreamEvent => ({ type: 'part-delta', index, text })
const begin = (index: number, part: Part): StreamEvent => ({ type: 'part-start', index, part })
const end = (index: number, part: Part): StreamEvent => ({ type: 'part-end', index, part })
const finish = (reason: 'stop' | 'calls' | 'length'): StreamEvent => ({
  type: 'finish',
  finish: { reason },
  usage: { input: 10, output: 5, cacheRead: 4, reasoning: 2 },
})
const text = (said: string): Part => ({ kind: 'text', path, text: said })
const call = (id: string, input: string): Part => ({
  kind: 'call',
  form: 'function',
  path,
  id,
  name: 'look',
  input,
})
const thought = (...said: string[]): Part => ({ kind: 'reasoning', path, summary: [], text: said })

describe('the Anthropic SDK as a client of Messages streams', () => {
  test('The SDK assembles a text and its usage.', async () => {
    const deltas: string[] = []
    const events = [start, begin(0, text('')), textEvent(0, 'Hel'), textEvent(0, 'lo'), end(0, text('Hello'))]
    const answer = stream([...events, finish('stop')]).on('text', delta => deltas.push(delta))
    expect(await answer.finalMessage()).toEqual({
      id: 'msg_resp_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: 4,
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 2 },
      },
      parsed_output: null,
    })
    expect(deltas).toEqual(['Hel', 'lo'])
  })

  test('The SDK assembles thinking with and without a signature, and then a call. [field D27]', async () => {
    const sealed: Part = { ...thought('b'), seal: { wire: 'messages', value: 'SIG' } } as Part
    const answer = stream([
      start,
      begin(0, thought()),
      textEvent(0, 'a'),
      end(0, thought('a')),
      begin(1, thought()),
      textEvent(1, 'b'),
      end(1, sealed),
      begin(2, call('c1', '')),
      textEvent(2, '{"a":1}'),
      end(2, call('c1', '{"a":1}')),
      finish('calls'),
    ])
    const { content, stop_reason } = await answer.finalMessage()
    expect(stop_reason).toBe('tool_use')
    expect(content).toEqual([
      { type: 'thinking', thinking: 'a', signature: '' },
      { type: 'thinking', thinking: 'b', signature: 'SIG' },
      { type: 'tool_use', id: 'c1', name: 'look', input: { a: 1 }, caller: { type: 'direct' } },
    ])
  })

  test('The SDK assembles parallel calls whose arguments were interleaved. [field D01]', async () => {
    const events = [
      start,
      begin(0, call('c1', '')),
      begin(1, call('c2', '')),
      textEvent(0, '{"a"'),
      textEvent(1, '{"b"'),
      textEvent(0, ':1}'),
      textEvent(1, ':2}'),
      end(1, call('c2', '{"b":2}')),
      end(0, call('c1', '{"a":1}')),
      finish('calls'),
    ]
    const { content } = await stream(events).finalMessage()
    expect(content).toMatchObject([
      { id: 'c1', input: { a: 1 } },
      { id: 'c2', input: { b: 2 } },
    ])
    const written = encode(events).text
    expect(written.indexOf('"index":0}')).toBeLessThan(written.indexOf('"index":1'))
  })

  test('The SDK assembles arguments from deltas alone; a call without any has an empty object. [field D29]', async () => {
    const events = [start, begin(0, call('c1', '')), end(0, call('c1', '{}')), begin(1, call('c2', ''))]
    const { content } = await stream([...events, end(1, call('c2', '')), finish('calls')]).finalMessage()
    expect(content).toMatchObject([{ input: {} }, { input: {} }])
  })

  test('The SDK assembles a free-text call as an object with its text, however it is cut. [field D23]', async () => {
    const custom = (input: string): Part => ({
      kind: 'call',
      form: 'custom',
      path,
      id: 'c',
      name: 'patch',
      input,
    })
    const whole = 'line "1"\n\\ 😀 end'
    const pieces = whole.split('').map(piece => textEvent(0, piece))
    const events = [start, begin(0, custom('')), ...pieces, end(0, custom(whole)), finish('calls')]
    const { content } = await stream(events).finalMessage()
    expect(content).toMatchObject([{ type: 'tool_use', name: 'patch', input: { input: whole } }])
    expect(encode(events).diagnostics.map(({ code }) => code)).toEqual(['custom_tool_wrapped'])
  })

  test('The SDK assembles an empty free-text call.', async () => {
    const custom: Part = { kind: 'call', form: 'custom', path, id: 'c', name: 'patch', input: '' }
    const { content } = await stream([
      start,
      begin(0, custom),
      end(0, custom),
      finish('calls'),
    ]).finalMessage()
    expect(content).toMatchObject([{ input: { input: '' } }])
  })

  test('The SDK assembles a refusal.', async () => {
    const refusal = (said: string): Part => ({ kind: 'refusal', path, text: said })
    const events = [start, begin(0, refusal('')), textEvent(0, 'No.'), end(0, refusal('No.')), finish('stop')]
    const answer = await stream(events).finalMessage()
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'No.' }], stop_reason: 'refusal' })
    expect(encode(events).diagnostics).toEqual([])
  })

  test('The SDK assembles an incomplete call in an answer that ends in max_tokens. [field C05]', async () => {
    const cut: Part = { ...call('c1', '{"a":"hal'), status: 'incomplete' } as Part
    const events = (reason: 'length' | 'calls') => [
      start,
      begin(0, call('c1', '')),
      textEvent(0, '{"a":"hal'),
      end(0, cut),
      finish(reason),
    ]
    for (const reason of ['length', 'calls'] as const) {
      const { stop_reason, content } = await stream(events(reason)).finalMessage()
      expect(stop_reason).toBe('max_tokens')
      expect(content).toMatchObject([{ type: 'tool_use', name: 'look' }])
      expect(encode(events(reason)).diagnostics).toEqual([])
    }
  })

  test('The SDK assembles input and result of a tool that the provider ran.', async () => {
    const use = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } }
    const result = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
    const hosted = (value: { type: string }): Part => ({
      kind: 'hosted',
      wire: 'messages',
      path,
      type: value.type,
      value,
    })
    const { content } = await stream([
      start,
      begin(0, hosted({ ...use, input: {} } as typeof use)),
      end(0, hosted(use)),
      begin(1, hosted(result)),
      end(1, hosted(result)),
      finish('stop'),
    ]).finalMessage()
    expect(content).toEqual([use, result])
  })

  test('The SDK assembles citations.', async () => {
    const cited: Part = { kind: 'text', path, text: 'Hello', citations: [{ path, url: 'http://u' }] }
    const { content } = await stream([
      start,
      begin(0, text('')),
      textEvent(0, 'Hello'),
      end(0, cited),
      finish('stop'),
    ]).finalMessage()
    expect(content).toMatchObject([{ text: 'Hello', citations: [{ url: 'http://u' }] }])
  })

  test('The SDK throws an error for a failed answer and emits no message. [field E07]', async () => {
    const error = { kind: 'overloaded', message: 'Too many.', code: 'busy' } as const
    const events: StreamEvent[] = [
      start,
      begin(0, text('')),
      textEvent(0, 'Hel'),
      end(0, text('Hel')),
      { type: 'error', error },
      finish('stop'),
    ]
    const deltas: string[] = []
    const answer = stream(events).on('text', delta => deltas.push(delta))
    await expect(answer.finalMessage()).rejects.toMatchObject({
      type: 'overloaded_error',
      error: { error: { message: 'Too many.', details: { error_code: 'busy' } } },
    })
    expect(deltas).toEqual(['Hel'])
    expect(encode(events).text).not.toContain('message_stop')
  })
})
