/** The demo model behind the gateway, before the judge of the contract: a tool loop, and what can go wrong. */
import { describe, expect, test } from 'vitest'
import { createDemoModel } from '../../../packages/toolwire/src/demo/demo-model.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { GatewayClient, Json, ReceivedAnswer } from '../../support/open-responses/gateway.ts'
import { clientOf, upstreamTo } from '../../support/open-responses/gateway.ts'
import { checkResponse, errorBody } from '../../support/open-responses/schema.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const tools = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
]

const open = (): GatewayClient => {
  const upstreams = [upstreamTo('chat', createDemoModel({ pieceSize: 3 }).transport)]
  return clientOf(createGateway({ upstreams, store: createMemoryStore() }))
}

function responseOf(told: ReceivedAnswer, stream: boolean): Json {
  expect(told.status, told.text).toBe(200)
  const response = stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
  expect(stream ? checkStream(told.writes) : checkResponse(response)).toEqual([])
  return response
}

describe.each([false, true])('the demo model, stream: %s', stream => {
  test('The demo model calls a tool and goes on with its result.', async () => {
    const { post } = open()
    const ask = { model: 'demo', tools, stream }
    const input = 'What is the weather in Oslo?'
    const first = responseOf(await post('/v1/responses', { ...ask, input }), stream)
    const call = (first.output as Json[]).find(({ type }) => type === 'function_call')
    expect(call).toMatchObject({ name: 'get_weather', status: 'completed' })
    expect(JSON.parse(String(call?.arguments))).toEqual({ city: 'Oslo' })
    const result = { type: 'function_call_output', call_id: call?.call_id, output: 'Snow, -3 degrees.' }
    const next = { ...ask, input: [result], previous_response_id: first.id }
    const second = responseOf(await post('/v1/responses', next), stream)
    expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id })
    expect(JSON.stringify(second.output)).toContain('Snow')
  })

  test.each(['demo', 'demo-reasoning', 'demo-empty', 'demo-truncate', 'demo-refuse'])(
    'Every answer of %s fits the contract.',
    async model => {
      responseOf(await open().post('/v1/responses', { model, input: 'Tell me a story.', stream }), stream)
    },
  )

  test.each(['demo-429', 'demo-500'])(
    'A refusal of the demo model with %s has its status and its body.',
    async model => {
      const told = await open().post('/v1/responses', { model, input: 'Hi.', stream })
      expect(told.status).toBe(Number(model.slice('demo-'.length)))
      expect(errorBody.safeParse(told.json()).error).toBeUndefined()
    },
  )
})

test.each(['demo-cut', 'demo-error-frame', 'demo-malformed'])(
  'A stream of %s fails as the contract demands.',
  async model => {
    const told = await open().post('/v1/responses', { model, input: 'Tell me a story.', stream: true })
    expect(checkStream(told.writes)).toEqual([])
    expect(eventsOf(told.text).at(-1)?.type).toBe('response.failed')
  },
)
