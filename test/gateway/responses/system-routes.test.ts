/** Models in the words of either client, counting tokens, and what the gateway tells of itself. */

import { says } from '@toolwire/core/testing'
import { counterForModel, countRequest } from '@toolwire/core/tokens'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Transport } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import { allRoutes } from '../../../packages/toolwire/src/gateway/routes/all-routes.ts'
import type { GatewayOptions } from '../../../packages/toolwire/src/gateway/settings.ts'
import { registerWires } from '../../../packages/toolwire/src/gateway/wires.ts'
import { combineObservers } from '../../../packages/toolwire/src/telemetry/combine-observers.ts'
import { createMetrics } from '../../../packages/toolwire/src/telemetry/metrics.ts'
import type { GatewayClient, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'

const routes = allRoutes(registerWires().values())

const open = (options: GatewayOptions): GatewayClient => clientOf(createGateway(options))

interface Asked {
  readonly url: string
  readonly headers: Json
  readonly body: string
}

/** An upstream that answers everything alike, and remembers what it was asked. */
function answering(status: number, value: unknown): { transport: Transport; asked: Asked[] } {
  const asked: Asked[] = []
  const transport = transportTo(async (url, init) => {
    const { headers, body } = init ?? {}
    asked.push({
      url: String(url),
      headers: { ...(headers as Json) },
      body: body === undefined ? '' : String(body),
    })
    return new Response(typeof value === 'string' ? value : JSON.stringify(value), { status })
  })
  return { transport, asked }
}

const nobody: Transport = (_, { fail }) => {
  queueMicrotask(() => fail(new Error('Nobody is there.')))
  return { pause: () => {}, resume: () => {}, abort: () => {} }
}

describe('GET /v1/models', () => {
  const found = answering(200, { object: 'list', data: [{ id: 'llama' }, { id: 'qwen' }, { nothing: 1 }] })
  const upstreams = [
    upstreamTo('chat', nobody, { name: 'fixed', models: ['gpt', 'gpt-*'], rename: { fast: 'gpt' } }),
    upstreamTo('chat', found.transport, {
      name: 'local',
      baseUrl: 'http://local.invalid/v1/',
      apiKey: 'secret',
    }),
    upstreamTo('messages', nobody, { name: 'away' }),
  ]
  const { get } = open({ upstreams })

  test('The list of models has the names from the settings, and those of upstreams without such names.', async () => {
    const told = await get('/v1/models')
    expect(told.json()).toEqual({
      object: 'list',
      data: [
        { id: 'gpt', object: 'model', created: 0, owned_by: 'fixed' },
        { id: 'fast', object: 'model', created: 0, owned_by: 'fixed' },
        { id: 'llama', object: 'model', created: 0, owned_by: 'local' },
        { id: 'qwen', object: 'model', created: 0, owned_by: 'local' },
      ],
    })
    expect(found.asked[0]).toMatchObject({
      url: 'http://local.invalid/v1/models',
      headers: { authorization: 'Bearer secret' },
    })
  })

  test('The list of models has the format of Messages for clients of that wire.', async () => {
    const told = await get('/v1/models', { 'anthropic-version': '2023-06-01' })
    const { data, ...page } = told.json()
    expect(page).toEqual({ has_more: false, first_id: 'gpt', last_id: 'qwen' })
    for (const model of data as Json[]) {
      expect(model).toMatchObject({
        type: 'model',
        id: expect.any(String),
        display_name: model.id === 'fast' ? 'gpt' : model.id,
        created_at: expect.stringMatching(/Z$/),
      })
    }
  })

  test('One model is returned in either format.', async () => {
    expect((await get('/v1/models/llama')).json()).toMatchObject({ id: 'llama', object: 'model' })
    const told = await get('/v1/models/gpt', { 'anthropic-version': '2023-06-01' })
    expect(told.json()).toMatchObject({ id: 'gpt', type: 'model' })
    expect((await get('/v1/models/gpt-next')).json()).toMatchObject({ id: 'gpt-next', owned_by: 'fixed' })
  })

  test('A model that no upstream serves is answered with 404 in either format.', async () => {
    const closed = open({ upstreams: [upstreamTo('chat', nobody, { models: ['gpt'] })] })
    const told = await closed.get('/v1/models/other')
    expect([told.status, told.json().error]).toMatchObject([404, { code: 'model_not_found' }])
    const spoken = await closed.get('/v1/models/other', { 'anthropic-version': '2023-06-01' })
    expect([spoken.status, spoken.json()]).toMatchObject([
      404,
      { type: 'error', error: { type: 'not_found_error' } },
    ])
  })
})

describe('POST /v1/messages/count_tokens', () => {
  const body = {
    model: 'claude-x',
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'How is the weather in Oslo?' }],
    tools: [{ name: 'look', input_schema: { type: 'object', properties: {} } }],
  }

  test('Tokens are counted by an upstream that can.', async () => {
    const { transport, asked } = answering(200, { input_tokens: 77 })
    const { post } = open({
      upstreams: [upstreamTo('messages', transport, { rename: { 'claude-x': 'claude-y' } })],
    })
    const told = await post('/v1/messages/count_tokens', body)
    expect(told.json()).toEqual({ input_tokens: 77 })
    expect(asked).toMatchObject([{ url: 'http://upstream.invalid/v1/messages/count_tokens' }])
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ ...body, model: 'claude-y' })
  })

  test.each([
    ['of another wire', 'chat', nobody],
    ['that cannot count', 'messages', answering(404, { type: 'error' }).transport],
  ] as const)('The gateway counts tokens for an upstream %s, and says how.', async (_, wire, transport) => {
    const { post } = open({ upstreams: [upstreamTo(wire, transport)] })
    const told = await post('/v1/messages/count_tokens', body)
    const counter = await counterForModel('claude-x')
    const { total, method } = countRequest(body, { wire: 'messages', counter })
    expect([told.status, told.json()]).toEqual([200, { input_tokens: total }])
    expect(told.headers['x-toolwire-count-method']).toBe(method)
    expect(total).toBeGreaterThan(10)
  })

  test('The gateway counts tokens when an upstream fails to.', async () => {
    for (const transport of [nobody, answering(200, 'not JSON').transport]) {
      const { post } = open({ upstreams: [upstreamTo('messages', transport)] })
      const told = await post('/v1/messages/count_tokens', body)
      expect(told.status, told.text).toBe(200)
      expect(told.json().input_tokens).toBeGreaterThan(10)
    }
  })

  test('A request to count tokens without a model is refused in the format of Messages.', async () => {
    const told = await openHarness('chat', []).post('/v1/messages/count_tokens', { messages: [] })
    expect([told.status, told.json()]).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ])
  })
})

describe('the gateway itself', () => {
  test('The gateway describes every route that it serves.', async () => {
    const told = await openHarness('chat', []).get('/openapi.json')
    const { openapi, paths } = told.json() as { openapi: string; paths: Record<string, Json> }
    expect(openapi).toMatch(/^3\.1/)
    for (const { path, method } of routes) expect(paths[path]).toHaveProperty(method.toLowerCase())
  })

  test('The gateway reports its version.', async () => {
    const told = await openHarness('chat', [], { version: '7.8.9' }).get('/version')
    expect(told.json()).toEqual({ name: 'toolwire', version: '7.8.9', node: process.versions.node })
  })

  test('The gateway is live, and ready with its store.', async () => {
    const { get } = openHarness('chat', [])
    expect((await get('/live')).json()).toEqual({ status: 'live' })
    expect((await get('/ready')).json()).toEqual({ status: 'ready', store: 'memory' })
  })

  test('The gateway counts exchanges in its metrics.', async () => {
    const { observer, text } = createMetrics()
    const { post, get } = openHarness('chat', [says('Hi.', { usage: { input: 3, output: 4 } })], {
      observer: combineObservers(observer),
      metrics: text,
    })
    await post('/v1/responses', { model: 'm', input: 'hi' })
    const told = await get('/metrics')
    expect(told.headers['content-type']).toMatch(/^text\/plain/)
    expect(told.text).toMatch(/^toolwire_build_info\{/m)
    expect(told.text).toMatch(/^toolwire_[a-z_]*requests[a-z_]*\{[^}]*responses[^}]*\} 1$/m)
  })

  test('A gateway without metrics and traces says so.', async () => {
    const { get } = openHarness('chat', [])
    for (const [path, code] of [
      ['/metrics', 'no_metrics'],
      ['/toolwire/traces', 'no_traces'],
    ] as const) {
      const told = await get(path)
      expect([told.status, told.json().error]).toMatchObject([404, { code }])
    }
  })

  test('The gateway requires a key on every route that is not open.', async () => {
    const { get } = openHarness('chat', [], { keys: ['k'], metrics: () => '' })
    for (const { path, open: isOpen, method } of routes.filter(route => route.method === 'GET')) {
      const { status } = await get(path.replaceAll(/[{}]/g, ''))
      expect(status === 401, `${method} ${path}`).toBe(isOpen !== true)
    }
  })
})
