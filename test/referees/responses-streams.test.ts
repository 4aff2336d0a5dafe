/** The official SDK reads what the encoder writes, and assembles the intended answer. */

import fc from 'fast-check'
import OpenAI from 'openai'
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response as Answered, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import type { Part } from '../../packages/core/src/model/conversation.ts'
import type { StreamEvent } from '../../packages/core/src/model/stream-event.ts'
import { dataOf, encodeStream, eventStream } from '../support/streams/responses.ts'

async function ask(text: string): Promise<Answered> {
  const client = new OpenAI({
    apiKey: 'x',
    maxRetries: 0,
    logLevel: 'off',
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
  return client.responses.stream({ model: 'm', input: 'hi' }).finalResponse()
}

const path = ['choices', 0]
const start: StreamEvent = { type: 'start', id: 'abc', model: 'm', createdAt: 7 }
const stop: StreamEvent = { type: 'finish', finish: { reason: 'stop' }, usage: { input: 3, output: 4 } }

function partEvents(
  index: number,
  part: Part,
  empty: Part,
  texts: readonly string[],
  more: object = {},
): StreamEvent[] {
  return [
    { type: 'part-start', index, part: empty },
    ...texts.map((text): StreamEvent => ({ type: 'part-delta', index, text, ...more })),
    { type: 'part-end', index, part },
  ]
}

const textEvents = (
  index: number,
  texts: readonly string[],
  kind: 'text' | 'refusal' = 'text',
): StreamEvent[] => partEvents(index, { kind, text: texts.join(''), path }, { kind, text: '', path }, texts)

function called(
  index: number,
  texts: readonly string[],
  form: 'function' | 'custom' = 'function',
): StreamEvent[] {
  const call: Part = {
    kind: 'call',
    form,
    id: `call_${index}`,
    name: `t${index}`,
    input: texts.join(''),
    path,
  }
  return partEvents(index, call, { ...call, input: '' }, texts)
}

describe('the OpenAI SDK as a client of Responses streams', () => {
  test('The SDK reads a text.', async () => {
    const { text } = encodeStream([start, ...textEvents(0, ['Hel', 'lo']), stop])
    const answer = await ask(text)
    expect(answer).toMatchObject({ id: 'resp_abc', status: 'completed', model: 'm', output_text: 'Hello' })
    expect(answer.usage).toMatchObject({ input_tokens: 3, output_tokens: 4, total_tokens: 7 })
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test('The SDK reads reasoning and then a text.', async () => {
    const whole: Part = { kind: 'reasoning', summary: [], text: ['think more'], path }
    const thought = partEvents(0, whole, { ...whole, text: [] }, ['think', ' more'])
    const answer = await ask(encodeStream([start, ...thought, ...textEvents(1, ['x']), stop]).text)
    expect(answer.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'think more' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'x' }] },
    ])
  })

  test('The SDK reads a summary of several sections, each of which ends before the next begins.', async () => {
    const whole: Part = { kind: 'reasoning', summary: ['ab', 'c'], text: ['raw'], path }
    const { text } = encodeStream([
      start,
      { type: 'part-start', index: 0, part: { ...whole, summary: [], text: [] } },
      { type: 'part-delta', index: 0, text: 'a', summary: true, section: 0 },
      { type: 'part-delta', index: 0, text: 'b', summary: true, section: 0 },
      { type: 'part-delta', index: 0, text: 'c', summary: true, section: 1 },
      { type: 'part-end', index: 0, part: whole },
      stop,
    ])
    const section = ['summary_part.added', 'summary_text.delta', 'summary_text.done', 'summary_part.done']
    const [added, delta, ...ended] = section.map(name => `response.reasoning_${name}`)
    const raw = ['content_part.added', 'reasoning_text.delta', 'reasoning_text.done', 'content_part.done']
    expect(
      dataOf(text)
        .slice(3, -2)
        .map(({ type }) => type),
    ).toEqual([added, delta, delta, ...ended, added, delta, ...ended, ...raw.map(name => `response.${name}`)])
    expect((await ask(text)).output).toMatchObject([
      { summary: [{ text: 'ab' }, { text: 'c' }], content: [{ type: 'reasoning_text', text: 'raw' }] },
    ])
  })

  test('The SDK reads parallel calls, also if their pieces interleave. [field D01]', async () => {
    const [a, b] = [called(0, ['{"a"', ':1}']), called(1, ['{', '}'])]
    const order = [a[0], b[0], a[1], b[1], b[2], a[2], b[3], a[3]].filter(event => event !== undefined)
    const answer = await ask(encodeStream([start, ...order, stop]).text)
    expect(answer.output).toMatchObject([
      { type: 'function_call', call_id: 'call_0', name: 't0', arguments: '{"a":1}', status: 'completed' },
      { type: 'function_call', call_id: 'call_1', name: 't1', arguments: '{}', status: 'completed' },
    ])
  })

  test('The SDK reads reasoning, a message and calls at different output indexes. [field D11]', async () => {
    const whole: Part = { kind: 'reasoning', summary: ['s'], text: [], path }
    const thought = partEvents(0, whole, { ...whole, summary: [] }, ['s'], { summary: true, section: 0 })
    const { text } = encodeStream([start, ...thought, ...textEvents(1, ['x']), ...called(2, ['{}']), stop])
    const announced = dataOf(text).filter(({ type }) => type === 'response.output_item.added')
    expect(announced.map(({ output_index }) => output_index)).toEqual([0, 1, 2])
    expect((await ask(text)).output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
    ])
  })

  test('The SDK reads custom calls and function calls, each with their own events. [field D23]', async () => {
    const { text } = encodeStream([
      start,
      ...called(0, ['free ', 'text'], 'custom'),
      ...called(1, ['{}']),
      stop,
    ])
    const types = dataOf(text).map(({ type }) => type)
    expect(types.filter(type => type === 'response.custom_tool_call_input.delta')).toHaveLength(2)
    expect(types.filter(type => type === 'response.custom_tool_call_input.done')).toHaveLength(1)
    expect(types.filter(type => type === 'response.function_call_arguments.done')).toHaveLength(1)
    expect((await ask(text)).output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'call_0', input: 'free text' },
      { type: 'function_call', call_id: 'call_1' },
    ])
  })

  test('The SDK reads a call without arguments. [field D19]', async () => {
    const answer = await ask(encodeStream([start, ...called(0, []), stop]).text)
    expect(answer.output).toMatchObject([{ type: 'function_call', name: 't0', arguments: '' }])
  })

  test('The SDK reads a refusal.', async () => {
    const answer = await ask(encodeStream([start, ...textEvents(0, ['I ', 'won’t'], 'refusal'), stop]).text)
    expect(answer.output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I won’t' }] }])
  })

  test('The SDK reads a text with its citations.', async () => {
    const cited: Part = { kind: 'text', text: 'abc', path, citations: [{ url: 'https://x.test', path }] }
    const events = [start, ...partEvents(0, cited, { kind: 'text', text: '', path }, ['abc']), stop]
    const source = { type: 'url_citation', url: 'https://x.test', title: '', start_index: 0, end_index: 3 }
    expect((await ask(encodeStream(events).text)).output).toMatchObject([
      { content: [{ annotations: [source] }] },
    ])
  })

  test('The SDK reads an answer that was cut short, whose last item is incomplete.', async () => {
    const cut: StreamEvent = { type: 'finish', finish: { reason: 'length' } }
    const answer = await ask(encodeStream([start, ...textEvents(0, ['x']), ...called(1, ['{"a']), cut]).text)
    expect(answer).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
    expect(answer.output).toMatchObject([{ status: 'completed' }, { status: 'incomplete', arguments: '{"a' }])
  })

  test('The SDK reads a failure and no success. [field E07]', async () => {
    const failed: StreamEvent = { type: 'error', error: { kind: 'overloaded', message: 'too busy' } }
    const { text } = encodeStream([start, ...textEvents(0, ['par']), failed, stop])
    await expect(ask(text)).rejects.toThrow('too busy')
    const [error, last] = dataOf(text).slice(-2)
    expect(error).toMatchObject({
      type: 'error',
      error: { type: 'service_unavailable_error', message: 'too busy', code: null, param: null },
    })
    expect(last).toMatchObject({
      type: 'response.failed',
      response: {
        id: 'resp_abc',
        status: 'failed',
        error: { code: 'server_error', message: 'too busy' },
        output: [{ type: 'message', status: 'incomplete', content: [{ text: 'par' }] }],
      },
    })
    expect(text).not.toContain('response.completed')
  })

  test('The SDK accepts every stream in both of its accumulators, and ends with the output of the last event.', async () => {
    await fc.assert(
      fc.asyncProperty(eventStream, async events => {
        const { text } = encodeStream(events)
        const data = dataOf(text)
        const last = data.at(-1)?.response as JsonObject
        let snapshot: Answered | undefined
        for (const event of data) {
          if (event.type !== 'error') {
            snapshot = accumulateResponse(event as unknown as ResponseStreamEvent, snapshot)
          }
        }
        expect(JSON.parse(JSON.stringify(snapshot?.output))).toEqual(last.output)
        if (last.status === 'failed') await expect(ask(text)).rejects.toThrow('busy')
        else expect((await ask(text)).output).toMatchObject(last.output as object)
      }),
    )
  })
})
