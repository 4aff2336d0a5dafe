import { expect, test } from 'vitest'
import { registerWires } from '../gateway/wires.ts'
import { decodeAnswer, decodeRequest, pairsOf } from './pairs.ts'

test('Other members belong together by their names, also where a wire has another name for one.', () => {
  const chat = { body: { id: 'chatcmpl_1', created: 1, service_tier: 'auto' }, turns: [] }
  const responses = { body: { id: 'resp_1', created_at: 1, background: false }, turns: [] }
  expect(pairsOf(responses, chat)).toEqual([
    { kind: 'other', label: 'id', client: [['id']], upstream: [['id']] },
    { kind: 'other', label: 'created_at', client: [['created_at']], upstream: [['created']] },
    { kind: 'other', label: 'background', client: [['background']], upstream: [] },
    { kind: 'other', label: 'service_tier', client: [], upstream: [['service_tier']] },
  ])
})

test('A body with both names keeps both.', () => {
  const both = { body: { created: 1, created_at: 2 }, turns: [] }
  expect(pairsOf(both, undefined).map(({ client }) => client)).toEqual([[['created']], [['created_at']]])
})

test('A hosted tool that was left out has no partner, even where a tool of the gateway makes both lists as long.', () => {
  const [responses, chat] = ['responses', 'chat'].map(name => registerWires().get(name)?.conversation)
  const parameters = { type: 'object', properties: {} }
  const own = (name: string) => ({ type: 'function', name, parameters })
  const theirs = (name: string) => ({ type: 'function', function: { name, parameters } })
  const client = { model: 'm', input: 'Hi', tools: [{ type: 'web_search' }, own('patch'), own('un named')] }
  const upstream = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [theirs('patch'), theirs('weather'), theirs('un_named')],
  }
  const pairs = responses && chat && pairsOf(decodeRequest(client, responses), decodeRequest(upstream, chat))
  expect(
    pairs?.filter(({ kind }) => kind === 'tool').map(pair => [pair.label, pair.client, pair.upstream]),
  ).toEqual([
    ['web_search', [['tools', 0]], []],
    ['patch', [['tools', 1]], [['tools', 0]]],
    ['un named', [['tools', 2]], [['tools', 2]]],
    ['weather', [], [['tools', 1]]],
  ])
})

test('What one wire keeps apart and the other in one message is one pair with the names of all.', () => {
  const [responses, chat] = ['responses', 'chat'].map(name => registerWires().get(name)?.conversation)
  const client = {
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I must look.' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}' },
    ],
  }
  const message = {
    role: 'assistant',
    content: null,
    reasoning_content: 'I must look.',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
  }
  const upstream = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  const pairs = responses && chat && pairsOf(decodeAnswer(client, responses), decodeAnswer(upstream, chat))
  expect(pairs?.find(({ kind }) => kind === 'message')).toMatchObject({
    label: 'reasoning, call',
    client: [
      ['output', 0],
      ['output', 1],
    ],
  })
})

test('Reasoning that was sent as a text belongs to that text.', () => {
  const [responses, chat] = ['responses', 'chat'].map(name => registerWires().get(name)?.conversation)
  const reasoning = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'I must look.' }],
  }
  const client = { model: 'm', input: [reasoning, { role: 'user', content: 'Hi' }] }
  const messages = [
    { role: 'assistant', content: 'I must look.' },
    { role: 'user', content: 'Hi' },
  ]
  const pairs =
    responses &&
    chat &&
    pairsOf(decodeRequest(client, responses), decodeRequest({ model: 'm', messages }, chat))
  expect(pairs?.filter(({ kind }) => kind === 'message')).toEqual([
    { kind: 'message', label: 'reasoning', client: [['input', 0]], upstream: [['messages', 0]] },
    { kind: 'message', label: 'user', client: [['input', 1]], upstream: [['messages', 1]] },
  ])
})

test('An answer that is a message has no other fields but those beside the message, and none that are null.', () => {
  const [messages, chat] = ['messages', 'chat'].map(name => registerWires().get(name)?.conversation)
  const upstream = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello there' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    container: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const message = { role: 'assistant', content: 'Hello there' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const client = { id: 'msg_1', choices, service_tier: null, usage: {} }
  const pairs = messages && chat && pairsOf(decodeAnswer(client, chat), decodeAnswer(upstream, messages))
  expect(pairs?.map(({ label }) => label)).toEqual(['assistant', 'id', 'usage'])
})
