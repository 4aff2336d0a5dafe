/** The official SDK reads what the encoder writes, and assembles the intended answer. */

import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { Part } from '../../packages/core/src/model/conversation.ts'
import { createReport } from '../../packages/core/src/model/diagnostic.ts'
import type { FinishEvent, StreamEvent } from '../../packages/core/src/model/stream-event.ts'
import { chatConversation } from '../../packages/core/src/wires/chat/conversation.ts'

const asked = { model: 'asked', stream_options: { include_usage: true } }

function encode(events: readonly StreamEvent[], request: Record<string, unknown> = asked): string {
  let ids = 0
  const context = { newId: (prefix: string) => `${prefix}${++ids}`, now: () => 99, request }
  const encoder = chatConversation.createStreamEncoder(context, createReport().report)
  return events.map(event => encoder.push(event)).join('')
}

/** The SDK's completion for a body, which it gets from a stubbed fetch. */
async function referee(body: string) {
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch, baseURL: 'http://nowhere.invalid/v1' })
  const stream = client.chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'w', parameters: {} } }],
  })
  return await stream.finalChatCompletion()
}

const path = ['p']
const start: StreamEvent = { type: 'start', id: 'resp_1', model: 'm-1', createdAt: 7 }
const usage = { input: 3, output: 4, cacheRead: 1, reasoning: 2 }
const finish = (reason: FinishEvent['finish']['reason']): StreamEvent => ({
  type: 'finish',
  finish: { reason },
  usage,
})
const text = (value: string): Part => ({ kind: 'text', text: value, path })
const call = (id: string, input: string, form: 'function' | 'custom' = 'function'): Part => ({
  kind: 'call',
  form,
  id,
  name: 'w',
  input,
  path,
})

/** A part as a stream of deltas of two characters. */
function partEvents(index: number, part: Part): StreamEvent[] {
  const text = 'text' in part ? [part.text].flat().join('') : part.kind === 'call' ? part.input : ''
  const empty = {
    ...part,
    ...('text' in part && { text: '' }),
    ...('input' in part && { input: '' }),
  } as Part
  const pieces = text.match(/[\s\S]{1,2}/g) ?? []
  return [
    { type: 'part-start', index, part: empty },
    ...pieces.map((piece): StreamEvent => ({ type: 'part-delta', index, text: piece })),
    { type: 'part-end', index, part },
  ]
}

describe('the OpenAI SDK as a client of Chat streams', () => {
  test('The SDK assembles a text with usage and one id.', async () => {
    const body = encode([start, ...partEvents(0, text('Grüße 👋\u2028"\\')), finish('stop')])
    const completion = await referee(body)
    expect(completion).toMatchObject({ id: 'resp_1', model: 'm-1', created: 7 })
    expect(completion.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Grüße 👋\u2028"\\' })
    expect(completion.choices[0]?.finish_reason).toBe('stop')
    expect(completion.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 })
  })

  test('The SDK assembles reasoning before a text.', async () => {
    const reasoning: Part = { kind: 'reasoning', summary: [], text: ['hm, hm'], path }
    const completion = await referee(
      encode([start, ...partEvents(0, reasoning), ...partEvents(1, text('so')), finish('stop')]),
    )
    expect(completion.choices[0]?.message).toMatchObject({ content: 'so' })
  })

  test('The SDK assembles parallel calls after reasoning, with indexes from 0. [field E01]', async () => {
    const reasoning: Part = { kind: 'reasoning', summary: ['why'], text: [], path }
    const completion = await referee(
      encode([
        start,
        ...partEvents(0, reasoning),
        ...partEvents(2, call('a', '{"x":1}')),
        ...partEvents(3, call('b', '{"x":2}')),
        finish('calls'),
      ]),
    )
    const message = completion.choices[0]?.message
    expect(message?.content).toBeNull()
    expect(message?.tool_calls).toMatchObject([
      { id: 'a', type: 'function', function: { name: 'w', arguments: '{"x":1}' } },
      { id: 'b', type: 'function', function: { name: 'w', arguments: '{"x":2}' } },
    ])
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls')
  })

  test('The SDK assembles calls whose pieces interleave.', async () => {
    const [startA, ...restA] = partEvents(0, call('a', '{"x":1}'))
    const [startB, ...restB] = partEvents(1, call('b', '{"x":2}'))
    const woven = restA.flatMap((event, i) => [event, restB[i]])
    const events = [start, startA, startB, ...woven, finish('calls')].filter(event => event !== undefined)
    const completion = await referee(encode(events))
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'a', function: { arguments: '{"x":1}' } },
      { id: 'b', function: { arguments: '{"x":2}' } },
    ])
  })

  test('The SDK assembles a custom call with its own field and its raw text. [field D23]', async () => {
    const body = encode([start, ...partEvents(0, call('a', 'echo "hi"\n', 'custom')), finish('calls')])
    expect(body).toContain('"custom":{"input":"ec"}')
    const completion = await referee(body)
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'a', type: 'custom', custom: { name: 'w', input: 'echo "hi"\n' } },
    ])
  })

  test('The SDK assembles a refusal.', async () => {
    const refusal: Part = { kind: 'refusal', text: 'I will not.', path }
    const completion = await referee(encode([start, ...partEvents(0, refusal), finish('refusal')]))
    expect(completion.choices[0]?.message).toMatchObject({ content: null, refusal: 'I will not.' })
    expect(completion.choices[0]?.finish_reason).toBe('stop')
  })

  test.each(['length', 'calls', 'stop'] as const)(
    'An answer with an incomplete call ends in "length", also if its finish is "%s". [field C05]',
    async reason => {
      const cut = { ...call('a', '{"x":'), status: 'incomplete' } as Part
      const completion = await referee(encode([start, ...partEvents(0, cut), finish(reason)]))
      expect(completion.choices[0]?.finish_reason).toBe('length')
    },
  )

  test('The SDK throws an error for a failed answer, which has no finish and no [DONE]. [field E07]', async () => {
    const error = { kind: 'overloaded', message: 'try later', code: 'busy' } as const
    const body = encode([start, ...partEvents(0, text('half')), { type: 'error', error }])
    expect(body).not.toContain('[DONE]')
    expect(body).not.toMatch(/"finish_reason":"/)
    await expect(referee(body)).rejects.toMatchObject({ code: 'busy', type: 'service_unavailable_error' })
  })

  test('A call without an id gets a new one, and a part that has only an end is written.', async () => {
    const { id: _, ...nameless } = call('', '{}') as Extract<Part, { kind: 'call' }>
    const completion = await referee(
      encode([
        start,
        { type: 'part-start', index: 0, part: { ...nameless, input: '' } },
        { type: 'part-end', index: 0, part: nameless },
        finish('calls'),
      ]),
    )
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_1', function: { name: 'w', arguments: '{}' } },
    ])
  })

  test('The SDK assembles the citations and logprobs of several texts.', async () => {
    const cited = (value: string, url: string): Part => ({
      kind: 'text',
      text: value,
      path,
      citations: [{ url, path, start: 0, end: 1 }],
      logprobs: [{ token: value, logprob: -1, bytes: null, top_logprobs: [] }],
    })
    const completion = await referee(
      encode([start, ...partEvents(0, cited('ab', 'u')), ...partEvents(1, cited('cd', 'v')), finish('stop')]),
    )
    const [choice] = completion.choices
    expect(choice?.message).toMatchObject({
      content: 'abcd',
      annotations: [
        { url_citation: { url: 'u', start_index: 0, end_index: 1 } },
        { url_citation: { url: 'v', start_index: 2, end_index: 3 } },
      ],
    })
    expect(choice?.logprobs?.content?.map(({ token }) => token)).toEqual(['ab', 'cd'])
  })

  test('No chunk has usage if the client did not ask for it.', () => {
    const body = encode([start, ...partEvents(0, text('hi')), finish('stop')], { model: 'asked' })
    expect(body).not.toContain('usage')
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})
