/** One wire on both sides and nothing to change: the very bytes go through, both ways, and are watched from the side. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { ExchangeFacts } from '../../../packages/toolwire/src/telemetry/observer.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'
import type { GatewayClient } from '../../support/open-responses/gateway.ts'
import { clientOf, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'

const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const

interface Recorded extends GatewayClient {
  /** The bodies that reached the upstream. */
  readonly bodies: string[]
  readonly facts: readonly ExchangeFacts[]
}

/** An upstream that gives a recorded answer in pieces of odd sizes. */
function openRecorded(wire: Wire, answer: string, type: string, more: Partial<Upstream> = {}): Recorded {
  const bodies: string[] = []
  const { observer, facts } = collectFacts()
  const transport = transportTo(async (_, init) => {
    bodies.push(Buffer.from(init?.body as Uint8Array).toString('utf8'))
    return new Response(new Blob([answer]).stream().pipeThrough(cutting(7)), {
      headers: { 'content-type': type },
    })
  })
  const upstreams = [upstreamTo(wire, transport, more)]
  const gateway = createGateway({ upstreams, observer, store: createMemoryStore() })
  return { bodies, facts, ...clientOf(gateway) }
}

function cutting(size: number): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += size) controller.enqueue(chunk.slice(at, at + size))
    },
  })
}

/** Odd whitespace, escapes, numbers and key orders that no writer of ours would make, and unknown fields. */
const requests: { readonly [W in Wire]: (stream: boolean) => string } = {
  chat: stream => `{ "stream" :${stream},\n\t"messages":[ {"content":"h\\u0069 \\/ \\ud83c\\udf0d","role":"user"}],
    "temperature":1.0e0 , "x_unknown":{"a":[1,2.50,-0]}, "model":"m" }\n`,
  responses:
    stream => `{ "stream" :${stream},\n\t"input":[ {"content":"h\\u0069 \\/","role":"user","x_odd":null}],
    "top_p":1.0e0 , "x_unknown":{"a":[1,2.50,-0]}, "model":"m" }\n`,
  messages: stream => `{ "stream" :${stream},\n\t"messages":[ {"content":"h\\u0069 \\/","role":"user"}],
    "max_tokens":1e3 , "x_unknown":{"a":[1,2.50,-0]}, "model":"m" }\n`,
}

const wholes: { readonly [W in Wire]: string } = {
  chat: `{ "usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"x":1},"id":"c",
    "object":"chat.completion","created":1.70e9,"model":"m","x_new":[ ],"choices":[{"finish_reason":"stop","index":0,
    "message":{"content":"h\\u00e9","role":"assistant","x":null}}] }`,
  responses: `{ "usage":{"input_tokens":11,"output_tokens":7,"total_tokens":18},"id":"resp_1","object":"response",
    "status":"completed","model":"m","x_new":[ ],"output":[{"type":"x_thing","id":"1"},{"id":"msg_1","type":"message",
    "role":"assistant","status":"completed","content":[{"type":"output_text","text":"h\\u00e9","annotations":[]}]}] }`,
  messages: `{ "usage":{"input_tokens":11,"output_tokens":7,"x":2},"id":"msg_1","type":"message","role":"assistant",
    "model":"m","x_new":[ ],"stop_sequence":null,"stop_reason":"end_turn","content":[{"text":"h\\u00e9","type":"text"}] }`,
}

const responsesEvent = (type: string, fields: string): string =>
  `event:${type}\r\ndata:{"sequence_number":0,${fields},"type":"${type}"}\r\n\r\n`

const message = '"id":"msg_1","type":"message","role":"assistant"'
const streams: { readonly [W in Wire]: string } = {
  chat: [
    ': first a comment\n\n',
    'data:{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n',
    'event: x_progress\ndata: { "percent" : 1.50 }\n\n',
    'data: {"id":"c","choices":[{"delta":{"content":"h\\u00e9"},"index":0,"x":[]}]}\r\n\r\n',
    'id: 7\nretry: 10\ndata: {"id":"c","choices":[{"delta":{},"index":0,"finish_reason":"stop"}]}\n\n',
    'data: {"id":"c","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}\n\n',
    'data: [DONE]\n\n: and a last word\n\n',
  ].join(''),
  responses: [
    responsesEvent('response.created', '"response":{"id":"resp_1","output":[],"status":"in_progress"}'),
    'event: x.telemetry\ndata: {"type":"x.telemetry", "n" : 1.0}\n\n: a comment\n\n',
    responsesEvent('response.output_item.added', `"output_index":0,"item":{${message},"content":[]}`),
    responsesEvent(
      'response.output_item.done',
      `"output_index":0,"item":{${message},"content":[{"type":"output_text","text":"h\\u00e9","annotations":[]}]}`,
    ),
    responsesEvent(
      'response.completed',
      `"response":{"id":"resp_1","status":"completed","model":"m","output":[{${message},"content":[]}],` +
        '"usage":{"input_tokens":11,"output_tokens":7,"total_tokens":18}}',
    ),
  ].join(''),
  messages: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m1","type":"message","role":"assistant",' +
      '"content":[],"model":"m","usage":{"input_tokens":11,"output_tokens":1}},"x" : 1.0}\n\n',
    'event: ping\ndata: {"type": "ping"}\n\n',
    'event: x_new\ndata: {"type":"x_new"}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"h\\u00e9"}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ].join(''),
}

const usage = { input: 11, output: 7 }

describe.each(['chat', 'responses', 'messages'] as const)('%s to itself', wire => {
  test('An answer on one wire passes byte for byte, and observers learn of it.', async () => {
    const { post, bodies, facts } = openRecorded(wire, wholes[wire], 'application/json; charset=utf-8')
    const told = await post(paths[wire], requests[wire](false))
    expect(bodies).toEqual([requests[wire](false)])
    expect([told.status, told.text]).toEqual([200, wholes[wire]])
    expect(told.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(facts[0]).toMatchObject({ usage, finish: 'stop', losses: [] })
  })

  test('A stream on one wire passes byte for byte, and observers learn of it.', async () => {
    const { post, bodies, facts } = openRecorded(wire, streams[wire], 'text/event-stream')
    const told = await post(paths[wire], requests[wire](true))
    expect(bodies).toEqual([requests[wire](true)])
    expect(told.text).toBe(streams[wire])
    expect(facts[0]).toMatchObject({ usage, finish: 'stop', losses: [] })
  })

  test('An event of a stream that passes is written at once, with its end.', async () => {
    const { post } = openRecorded(wire, streams[wire], 'text/event-stream')
    const { writes } = await post(paths[wire], requests[wire](true))
    for (const write of writes) expect(write).toMatch(/\r?\n\r?\n$/)
  })

  test('Only the name of the model changes where the upstream has another name for it.', async () => {
    const more = { rename: { m: 'real-m' } }
    const { post, bodies } = openRecorded(wire, wholes[wire], 'application/json', more)
    await post(paths[wire], requests[wire](false))
    const sent = JSON.parse(bodies[0] ?? '') as object
    // What is written anew has no -0.
    const given = JSON.stringify(JSON.parse(requests[wire](false)))
    expect(sent).toEqual({ ...JSON.parse(given), model: 'real-m' })
  })
})

test('A Responses upstream that stores responses itself gets the ids of the client unchanged.', async () => {
  const body = '{"model":"m","input":"hi","previous_response_id":"resp_0","store":true}'
  const { post, bodies } = openRecorded('responses', wholes.responses, 'application/json')
  expect((await post('/v1/responses', body)).text).toBe(wholes.responses)
  expect(bodies).toEqual([body])
})
