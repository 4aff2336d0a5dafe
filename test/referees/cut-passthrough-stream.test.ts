/** A passthrough stream on Responses that breaks off: the error that is added closes all open items. */
import fc from 'fast-check'
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response as Answered, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import type { ExchangeStream } from '../../packages/core/src/convert/stream/exchange-stream.ts'
import { createExchange } from '../../packages/core/src/create-exchange.ts'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { checkEventOrder } from '../support/streams/event-order.ts'
import { dataOf, encodeStream, eventStream } from '../support/streams/responses.ts'

const open = (limits = {}): ExchangeStream => {
  const exchange = createExchange({ from: 'responses', to: 'responses', limits })
  exchange.passthrough(() => ({ model: 'm', input: 'Hello' }))
  return exchange.stream()
}

const framesIn = (text: string): string[] => text.split(/(?<=\n\n)/)

const numbered = (events: readonly JsonObject[], first = 0): string[] =>
  events.map(
    (event, i) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: first + i })}\n\n`,
  )

/** The output that the official SDK puts together from the events alone. */
function accumulate(events: readonly JsonObject[]): unknown {
  let snapshot: Answered | undefined
  for (const event of events) {
    if (event.type === 'error' || event.type === 'response.failed') continue
    snapshot = accumulateResponse(event as unknown as ResponseStreamEvent, snapshot)
  }
  return JSON.parse(JSON.stringify(snapshot?.output))
}

const lastOf = (text: string): JsonObject => dataOf(text).at(-1)?.response as JsonObject

test('A stream that is cut after any event closes its items and repeats them in the final event.', () => {
  fc.assert(
    fc.property(eventStream, fc.nat(), fc.boolean(), (events, at, isOurs) => {
      const frames = framesIn(encodeStream(events).text)
      const ending = /"type":"(?:error|response\.(?:completed|incomplete|failed))"/
      const before = frames.slice(
        0,
        1 +
          (at %
            Math.max(
              1,
              frames.findIndex(frame => ending.test(frame)),
            )),
      )
      const stream = open()
      const passed = stream.push(before.join(''))
      const text = passed + (isOurs ? stream.fail({ kind: 'timeout', message: 'Too slow.' }) : stream.end())
      expect(passed).toBe(before.join(''))
      expect(checkEventOrder('responses', text)).toEqual([])
      const { status, error, output } = lastOf(text)
      expect([status, (error as JsonObject).message]).toEqual([
        'failed',
        isOurs ? 'Too slow.' : "The upstream's stream ended before the answer did.",
      ])
      expect(output).toEqual(accumulate(dataOf(text)))
      expect(stream.answer).toEqual(lastOf(text))
    }),
  )
})

const response = { id: 'resp_1', object: 'response', model: 'm', status: 'in_progress', output: [] }
const created = { type: 'response.created', response }
const message = { id: 'msg_7', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
const inMessage = { item_id: 'msg_7', output_index: 0, content_index: 0 }
const begun = [
  created,
  { type: 'response.output_item.added', output_index: 0, item: message },
  {
    type: 'response.content_part.added',
    ...inMessage,
    part: { type: 'output_text', text: '', annotations: [] },
  },
  { type: 'response.output_text.delta', ...inMessage, delta: 'Half a' },
]

describe('the end that is added to a broken stream', () => {
  test("The added end continues the upstream's ids and sequence numbers.", () => {
    const stream = open()
    stream.push(numbered(begun, 40).join(''))
    const part = { type: 'output_text', text: 'Half a', annotations: [] }
    const item = { ...message, status: 'incomplete', content: [part] }
    expect(dataOf(stream.end())).toMatchObject([
      { type: 'response.output_text.done', ...inMessage, text: 'Half a', sequence_number: 44 },
      { type: 'response.content_part.done', ...inMessage, part, sequence_number: 45 },
      { type: 'response.output_item.done', output_index: 0, item, sequence_number: 46 },
      { type: 'error', sequence_number: 47 },
      { type: 'response.failed', response: { id: 'resp_1', output: [item] }, sequence_number: 48 },
    ])
  })

  test('The added end does not repeat item ends that were already sent.', () => {
    const part = { type: 'output_text', text: 'Half a', annotations: [{ type: 'file_path', file_id: 'f' }] }
    const stream = open()
    stream.push(
      numbered([
        ...begun,
        { type: 'response.output_text.done', ...inMessage, text: 'Half a', logprobs: [] },
        { type: 'response.content_part.done', ...inMessage, part },
      ]).join(''),
    )
    const told = dataOf(stream.end())
    expect(told.map(({ type }) => type)).toEqual(['response.output_item.done', 'error', 'response.failed'])
    expect(told[0]?.item).toEqual({ ...message, status: 'incomplete', content: [part] })
  })

  test('An item of the provider is closed as it was announced, and not marked as completed.', () => {
    const item = { id: 'ws_1', type: 'web_search_call', status: 'in_progress' }
    const stream = open()
    stream.push(numbered([created, { type: 'response.output_item.added', output_index: 0, item }]).join(''))
    expect(dataOf(stream.end())[0]).toMatchObject({ item: { ...item, status: 'incomplete' } })
  })

  test.each([
    { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"a":1}' },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'f', input: 'all of it' },
    { ...message, content: [{ type: 'output_text', text: 'all of it', annotations: [] }] },
  ])('An item of type $type that was announced complete is closed complete.', item => {
    const stream = open()
    stream.push(numbered([created, { type: 'response.output_item.added', output_index: 0, item }]).join(''))
    expect(lastOf(stream.end()).output).toEqual([{ ...item, status: 'incomplete' }])
  })

  test('A call that is announced again with fewer fields keeps its name.', () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '' }
    const again = [item, { ...item, name: '' }].map(one => ({
      type: 'response.output_item.added',
      output_index: 0,
      item: one,
    }))
    const stream = open()
    stream.push(numbered([created, ...again]).join(''))
    expect(lastOf(stream.end()).output).toEqual([{ ...item, status: 'incomplete' }])
  })

  test('The end of reasoning is not repeated if it came under the event name of Open Responses.', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [] }
    const where = { item_id: 'rs_1', output_index: 0, content_index: 0 }
    const stream = open()
    stream.push(
      numbered([
        created,
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.reasoning.delta', ...where, delta: 'Hm' },
        { type: 'response.reasoning.done', ...where, text: 'Hm' },
      ]).join(''),
    )
    expect(dataOf(stream.end()).map(({ type }) => type)).toEqual([
      'response.output_item.done',
      'error',
      'response.failed',
    ])
  })

  test('A stream that exceeds its limit is sent on up to the limit.', () => {
    const frames = numbered(begun)
    const stream = open({ stream: frames.join('').length - 1 })
    const text = stream.push(frames.join(''))
    expect(text.startsWith(frames.join(''))).toBe(true)
    expect(checkEventOrder('responses', text)).toEqual([])
    expect(lastOf(text)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('longer than') },
    })
  })

  test('The events before an oversized event are sent on.', () => {
    const [first = '', ...more] = numbered(begun)
    const stream = open({ event: 400 })
    const text = stream.push(first) + stream.push(`${more.join('')}data: ${'x'.repeat(900)}`)
    expect(text.startsWith(first + more.join(''))).toBe(true)
    expect(checkEventOrder('responses', text)).toEqual([])
  })

  test('A finished answer stays finished, whatever follows it in the same chunk.', () => {
    const completed = { type: 'response.completed', response: { ...response, status: 'completed' } }
    const stream = open({ event: 400 })
    const whole = numbered([created, completed]).join('')
    expect(stream.push(`${whole}data: ${'x'.repeat(900)}`)).toBe(whole)
    expect(stream.finish).toBe('stop')
  })

  test.each(['end', 'fail'] as const)(
    'A chunk that ends between CR and LF of a blank line loses no event before %s().',
    how => {
      const frames = numbered(begun).join('').replaceAll('\n', '\r\n')
      const stream = open()
      const passed = stream.push(frames.slice(0, -1))
      const text =
        passed + (how === 'end' ? stream.end() : stream.fail({ kind: 'timeout', message: 'Too slow.' }))
      expect(text.startsWith(frames)).toBe(true)
      expect(checkEventOrder('responses', text)).toEqual([])
    },
  )
})
