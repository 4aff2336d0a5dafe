/** The gateway speaks a wire that it has never seen, in both directions, because its options name the wire. */
import type { WireDefinition } from '@toolwire/core'
import { builtInWires, defineTool, defineWire } from '@toolwire/core'
import type { ScriptedModel, ScriptedTurn } from '@toolwire/core/testing'
import { calls, createScriptedModel, fails, says } from '@toolwire/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../packages/toolwire/src/gateway/create-gateway.ts'
import { createFetchHandler } from '../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import type { GatewayOptions, Upstream } from '../../packages/toolwire/src/gateway/settings.ts'
import { createFetchTransport } from '../../packages/toolwire/src/gateway/upstream/fetch-transport.ts'
import { createMemoryStore } from '../../packages/toolwire/src/store/memory-store.ts'
import { createTraceRing } from '../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { answered, send, user } from './client.ts'
import { relay } from './wire/index.ts'

const { chat, responses, messages } = builtInWires

interface Setting {
  readonly fetch: (request: Request) => Promise<Response>
  readonly model: ScriptedModel
  /** The requests that reached the upstream. */
  readonly sent: readonly { readonly url: string; readonly headers: Headers; readonly body: string }[]
}

interface SettingOptions {
  readonly upstream?: Partial<Upstream>
  readonly gateway?: Partial<GatewayOptions>
}

function open(wire: WireDefinition, script: readonly ScriptedTurn[], options: SettingOptions = {}): Setting {
  const model = createScriptedModel({ wire, script })
  const sent: { url: string; headers: Headers; body: string }[] = []
  const transport = createFetchTransport(async (input, init) => {
    const request = new Request(input, init)
    sent.push({ url: request.url, headers: request.headers, body: await request.clone().text() })
    return model.fetch(request)
  })
  const gateway = createGateway({
    wires: [relay],
    upstreams: [
      {
        name: 'up',
        wire: wire.name,
        baseUrl: `http://up.test${wire.service.http.prefix}`,
        transport,
        retries: 0,
        ...options.upstream,
      },
    ],
    store: createMemoryStore(),
    ...options.gateway,
  })
  onTestFinished(() => gateway.close())
  return { fetch: createFetchHandler(gateway), model, sent }
}

const get = async (fetch: Setting['fetch'], path: string, headers = {}): Promise<unknown> => {
  const response = await fetch(new Request(`http://localhost${path}`, { headers }))
  return response.json()
}

const pairs: readonly (readonly [client: WireDefinition, upstream: WireDefinition])[] = [
  ...[chat, responses, messages].flatMap(wire => [[relay, wire] as const, [wire, relay] as const]),
  [relay, relay],
]
const cases = pairs.flatMap(([client, upstream]) =>
  [false, true].map(streamed => ({ client, upstream, streamed, from: client.name, to: upstream.name })),
)

test.each(cases)(
  'A client of $from gets a call from a model on $to and sends its result (streamed: $streamed).',
  async ({ client, upstream, streamed }) => {
    const script = [calls({ name: 'get_weather', arguments: { city: 'Ålesund' } }), says('It rains. ☔')]
    const { fetch, model, sent } = open(upstream, script)
    const first = await send(fetch, client, [user('Weather?')], { streamed })
    expect(first.error).toBeUndefined()
    expect(first).toMatchObject({
      status: 200,
      calls: [{ name: 'get_weather', input: { city: 'Ålesund' } }],
    })
    const [call] = first.calls
    if (call === undefined) throw new Error('There is no call.')
    const second = await send(fetch, client, [user('Weather?'), ...answered(call, 'Rain')], { streamed })
    expect(second).toMatchObject({ status: 200, text: 'It rains. ☔', calls: [], error: undefined })
    const type = streamed ? client.conversation.frames.contentType : 'application/json'
    expect(second.headers.get('content-type')).toContain(type)
    model.assertDone()
    expect(model.requests.map(request => request.isStreamed)).toEqual([streamed, streamed])
    expect(model.requests[0]).toMatchObject({ toolNames: ['get_weather'], user: 'Weather?' })
    expect(model.requests[1]?.results).toMatchObject([{ text: 'Rain' }])
    if (upstream === relay) expect(sent[0]?.url).toBe(`http://up.test/relay/m/${streamed ? 'stream' : 'run'}`)
  },
)

test.each(cases)(
  'A client of $from reads an error of an upstream on $to (streamed: $streamed).',
  async ({ client, upstream, streamed }) => {
    const script = [fails(429, 'Slow down.', { 'retry-after': '7' })]
    const { fetch } = open(upstream, script)
    const reply = await send(fetch, client, [user('Weather?')], { streamed })
    expect(reply).toMatchObject({ status: 429, error: { kind: 'rate_limit', message: 'Slow down.' } })
    expect(reply.headers.get('retry-after')).toBe('7')
  },
)

test.each(cases.filter(({ streamed }) => streamed))(
  'A client of $from learns inside its stream that the stream of $to broke off.',
  async ({ client, upstream }) => {
    const { fetch } = open(upstream, [{ text: 'A long answer.', fault: { cut: 2 } }])
    const reply = await send(fetch, client, [user('Hello.')], { streamed: true })
    expect(reply.status).toBe(200)
    expect(reply.error).toMatchObject({ kind: 'server' })
  },
)

test('An error of the gateway itself has the format of the path, and the id where its clients look for it.', async () => {
  const { fetch } = open(chat, [], { upstream: { models: ['m'] } })
  const unknown = await send(fetch, relay, [user('Hello.')], { streamed: false, model: 'other/one' })
  expect(unknown.status).toBe(404)
  expect(JSON.parse(unknown.raw)).toMatchObject({ problem: { kind: 'missing', code: 'model_not_found' } })
  expect(unknown.headers.get('x-relay-trace')).toBe(unknown.headers.get('x-request-id'))
  expect(await get(fetch, '/relay/m/nothing')).toHaveProperty('problem')
  expect(await get(fetch, '/v1/nothing')).toHaveProperty('error')
  expect(await get(fetch, '/nothing', { 'x-relay-edition': '2' })).toHaveProperty('problem')
})

test('A request between two ends of one wire passes unread, and only the path names another model.', async () => {
  const { fetch, sent } = open(relay, [says('Hi.'), says('Hi.')], {
    upstream: { rename: { mine: 'theirs/1' } },
  })
  const plain = await fetch(
    new Request('http://localhost/relay/m/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{ "talk" : [ {"by":"human","say":"Hi.","mood":1.50} ] }',
    }),
  )
  expect(await plain.json()).toMatchObject({ say: 'Hi.', ended: 'done' })
  expect(sent[0]?.body).toBe('{ "talk" : [ {"by":"human","say":"Hi.","mood":1.50} ] }')
  await send(fetch, relay, [user('Hi.')], { streamed: true, model: 'mine' })
  expect(sent[1]?.url).toBe('http://up.test/relay/theirs%2F1/stream')
  expect(JSON.parse(sent[1]?.body ?? '')).not.toHaveProperty('model')
})

test('The list of models has the format of its path, and upstreams are asked in their own.', async () => {
  const asked: string[] = []
  const transport = createFetchTransport(async input => {
    asked.push(String(input))
    return Response.json({ names: ['near', 'far'] })
  })
  const { fetch } = open(relay, [], { upstream: { transport, apiKey: 'upstream-key' } })
  expect(await get(fetch, '/relay/models')).toEqual({ names: ['near', 'far'] })
  expect(await get(fetch, '/relay/models/near')).toEqual({ name: 'near', from: 'up' })
  expect(await get(fetch, '/v1/models')).toMatchObject({
    object: 'list',
    data: [{ id: 'near' }, { id: 'far' }],
  })
  expect(await get(fetch, '/v1/models', { 'anthropic-version': '2023-06-01' })).toMatchObject({
    first_id: 'near',
  })
  expect(new Set(asked)).toEqual(new Set(['http://up.test/relay/models']))
})

test('Keys stand in the header of the wire, for clients and for upstreams, and traces do not show them.', async () => {
  const traces = createTraceRing()
  const { fetch, sent } = open(relay, [says('Hi.'), says('Hi.')], {
    upstream: { apiKey: 'upstream-key' },
    gateway: { keys: ['client-key'], observer: traces },
  })
  const refused = await send(fetch, relay, [user('Hi.')], { streamed: false })
  expect(refused).toMatchObject({ status: 401, error: { kind: 'authentication' } })
  expect(refused.error?.message).toContain('"x-relay-pass"')
  for (const client of [relay, chat]) {
    const reply = await send(fetch, client, [user('Hi.')], { streamed: false, key: 'client-key' })
    expect(reply).toMatchObject({ status: 200, text: 'Hi.' })
  }
  for (const { headers } of sent) {
    expect(headers.get('x-relay-pass')).toBe('upstream-key')
    expect(headers.get('x-relay-edition')).toBe('2')
  }
  const shown = JSON.stringify(traces.list(10).map(entry => traces.get((entry as { id: string }).id)))
  expect(shown).not.toMatch(/client-key|upstream-key/)
})

test('A key that is forwarded goes into the header of the upstream’s wire.', async () => {
  const { fetch, sent } = open(relay, [says('Hi.')], { upstream: { forwardKey: true } })
  await send(fetch, messages, [user('Hi.')], { streamed: false, key: 'my-own-key' })
  expect(sent[0]?.headers.get('x-relay-pass')).toBe('my-own-key')
  expect(sent[0]?.headers.get('x-api-key')).toBeNull()
})

test.each([false, true])(
  'The gateway runs a tool of its own between two rounds on the wire (streamed: %s).',
  async streamed => {
    const script = [calls({ name: 'clock', arguments: {} }), says('Noon.')]
    const clock = defineTool({
      name: 'clock',
      description: 'The time.',
      parameters: { type: 'object', properties: {} },
      handler: () => '12:00',
    })
    const { fetch, model, sent } = open(relay, script, { gateway: { tools: [clock] } })
    const reply = await send(fetch, relay, [user('What time is it?')], { streamed })
    expect(reply).toMatchObject({ status: 200, text: 'Noon.', calls: [] })
    expect(model.requests[1]?.results).toMatchObject([{ text: '12:00' }])
    for (const { body } of sent) expect(JSON.parse(body)).not.toHaveProperty('model')
  },
)

test('Losses are reported in a note at the end of a stream of lines.', async () => {
  const { fetch } = open(chat, [says('Hi.')])
  const response = await fetch(
    new Request('http://localhost/relay/m/stream', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-toolwire-report': '1' },
      body: JSON.stringify({ talk: [{ by: 'human', say: 'Hi.' }], whim: true }),
    }),
  )
  const lines = (await response.text()).trim().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '').note).toMatch(/^toolwire_losses \[.*"whim"/)
})

test('The OpenAPI document describes the routes of the wire.', async () => {
  const { fetch } = open(chat, [])
  const { paths, components } = (await get(fetch, '/openapi.json')) as {
    paths: Record<string, Record<string, { responses: Record<string, { content: object }> }>>
    components: Record<string, object>
  }
  const stream = paths['/relay/{model}/stream']?.post?.responses['200']?.content ?? {}
  expect(Object.keys(stream)).toEqual(['application/x-ndjson'])
  expect(Object.keys(paths['/relay/{model}/run']?.post?.responses['200']?.content ?? {})).toEqual([
    'application/json',
  ])
  expect(paths).toHaveProperty(['/relay/models', 'get'])
  expect(components.schemas).toHaveProperty('RelayRequest')
  expect(components.securitySchemes).toHaveProperty('relayPass')
})

test('A gateway refuses an unknown wire, two wires of one name, and two wires with one route.', () => {
  const upstreams = [{ name: 'up', wire: 'relay', baseUrl: 'http://up.test/relay' }]
  expect(() => createGateway({ upstreams })).toThrow(
    'upstreams[0].wire must be "chat", "responses" or "messages"; got "relay".',
  )
  const copy = defineWire({ ...relay })
  expect(() => createGateway({ upstreams, wires: [relay, copy] })).toThrow('Two wires are named "relay".')
  const other = defineWire({
    ...relay,
    name: 'other',
    tools: { ...relay.tools, wire: 'other' },
    conversation: { ...relay.conversation, wire: 'other' },
  })
  expect(() => createGateway({ upstreams, wires: [relay, other] })).toThrow(
    'POST /relay/{model}/run is a route of two wires: "relay" and "other".',
  )
})
