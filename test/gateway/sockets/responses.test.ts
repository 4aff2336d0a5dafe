/** Responses over a WebSocket, whichever wire the upstream speaks: the same events, turns, lanes and memory. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { calls, fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Message, TestSocket } from '../../support/gateway/socket.ts'
import { isLast, openTestSocket } from '../../support/gateway/socket.ts'
import type { Harness, HarnessOptions, Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]
const look = calls({ name: 'look', arguments: { at: 'sky' }, id: 'call_a' })
const create = (more: Json): Json => ({ type: 'response.create', model: 'm', ...more })
const result = (call_id: string, output: string): Json => ({ type: 'function_call_output', call_id, output })
const responseOf = (messages: readonly Message[]): Json => messages.at(-1)?.response as Json
const errorOf = (messages: readonly Message[]): Json => messages.at(-1)?.error as Json

/** The texts of a role in a request to the upstream, on whichever wire. */
function textsOf(request: { readonly body: Json } | undefined, role: string): string[] {
  const turns = request?.body.messages ?? request?.body.input ?? []
  if (typeof turns === 'string') return role === 'user' ? [turns] : []
  return (turns as { role?: string; content?: unknown }[]).flatMap(turn => {
    if (turn.role !== role || turn.content === null) return []
    if (typeof turn.content === 'string') return [turn.content]
    return (turn.content as { text?: string }[]).flatMap(({ text }) => text ?? [])
  })
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isSo(); tries++) await new Promise(resolve => setImmediate(resolve))
  expect(isSo()).toBe(true)
}

interface Stage extends Harness {
  readonly socket: TestSocket
  /** Sends a request and returns all messages of its response. */
  ask(more: Json): Promise<Message[]>
}

async function open(
  wire: Wire,
  script: Parameters<typeof openHarness>[1],
  options: HarnessOptions = {},
): Promise<Stage> {
  const harness = openHarness(wire, script, options)
  const socket = await openTestSocket(harness.gateway)
  return {
    ...harness,
    socket,
    ask(more) {
      socket.send(create(more))
      return socket.response()
    },
  }
}

async function expectNothingLeft({ gateway }: Pick<Harness, 'gateway'>): Promise<void> {
  await until(() => gateway.active === 0)
  expect([gateway.active, gateway.sockets, gateway.memoryUsed]).toEqual([0, 0, 0])
}

const upstreams = [
  { to: 'chat', upstream: {} },
  { to: 'messages', upstream: {} },
  { to: 'responses', upstream: {} },
  { to: 'responses', upstream: { state: 'gateway' } },
] as const

/** What a message has that an event of a stream has not. */
const asEvent = ({ headers: _, stream_id: __, ...event }: Message): Message => event

describe.each(upstreams)('over an upstream on $to, $upstream', ({ to, upstream }) => {
  test('A socket gets the events of the stream, all of them and in their order.', async () => {
    const script = [look, look]
    let count = 0
    const newId = (prefix: string): string => `${prefix}${++count}`
    const body = { model: 'm', input: 'What colour?', tools, store: false }
    const streamed = openHarness(to, script, { upstream, newId })
    const told = await streamed.post('/v1/responses', { ...body, stream: true })
    count = 0
    const { ask, socket, ...rest } = await open(to, script, { upstream, newId })
    // The handshake has an id of its own.
    count = 0
    const messages = await ask({ ...body, type: 'response.create' })
    const expected = eventsOf(told.text).filter(event => event !== undefined)
    expect(messages.map(({ type }) => type)).toEqual(expected.map(({ type }) => type))
    expect(messages.map(({ sequence_number }) => sequence_number)).toEqual(
      expected.map(({ sequence_number }) => sequence_number),
    )
    expect(responseOf(messages).output).toEqual(responseOf(expected).output)
    expect(messages.slice(1).map(asEvent)).toEqual(messages.slice(1))
    expect(messages[0]?.headers).toMatchObject({
      'x-toolwire-upstream': 'scripted',
      'x-toolwire-losses': '0',
    })
    socket.disconnect()
    await expectNothingLeft(rest)
  })

  test('Several turns on one socket continue what is not stored, with calls and their results.', async () => {
    const stage = await open(to, [look, says('Blue.'), says('Yes.')], { upstream })
    const first = responseOf(await stage.ask({ input: 'What colour?', tools, store: false }))
    const second = responseOf(
      await stage.ask({
        previous_response_id: first.id,
        input: [result('call_a', 'blue')],
        tools,
        store: false,
      }),
    )
    const third = responseOf(
      await stage.ask({ previous_response_id: second.id, input: 'Sure?', tools, store: false }),
    )
    expect([first.status, second.status, third.status]).toEqual(['completed', 'completed', 'completed'])
    expect([first, second, third].map(told => told.previous_response_id)).toEqual([null, first.id, second.id])
    const begun = stage.socket.received.filter(({ type }) => type === 'response.created')
    expect(begun.map(told => (told.response as Json).previous_response_id)).toEqual([
      null,
      first.id,
      second.id,
    ])
    const seen = stage.model.requests[2]
    expect(textsOf(seen, 'user')).toEqual(['What colour?', 'Sure?'])
    expect(textsOf(seen, 'assistant')).toEqual(['Blue.'])
    expect(seen?.results.map(({ callId, text }) => [callId, text])).toEqual([['call_a', 'blue']])
    // Nothing of it was stored.
    const read = await stage.get(`/v1/responses/${first.id}`)
    expect(read.status).toBe(404)
    stage.socket.disconnect()
    await expectNothingLeft(stage)
  })

  test('A warm-up may come before there is anything to say.', async () => {
    const stage = await open(to, [says('Hello.')], { upstream })
    const body = { tools, store: false }
    const warm = await stage.ask({ ...body, input: [], generate: false })
    expect(responseOf(warm)).toMatchObject({ status: 'completed', output: [] })
    const input = [{ role: 'user', content: 'Say hello.' }]
    const real = await stage.ask({ ...body, previous_response_id: responseOf(warm).id, input })
    expect(responseOf(real).status).toBe('completed')
    expect(textsOf(stage.model.requests[0], 'user')).toEqual(['Say hello.'])
  })

  test('A warm-up writes nothing and asks nobody, and is continued with an empty input.', async () => {
    const stage = await open(to, [says('Hello.')], { upstream })
    const body = { input: 'Say hello.', tools, store: false, instructions: 'Be kind.' }
    const warm = await stage.ask({ ...body, generate: false })
    expect(warm.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ])
    expect(responseOf(warm)).toMatchObject({ status: 'completed', output: [], usage: { total_tokens: 0 } })
    expect(stage.model.requests).toHaveLength(0)
    const real = await stage.ask({ ...body, previous_response_id: responseOf(warm).id, input: [] })
    expect(responseOf(real).status).toBe('completed')
    expect(stage.model.requests).toHaveLength(1)
    expect(textsOf(stage.model.requests[0], 'user')).toEqual(['Say hello.'])
  })

  test('A request that only prepares the cache is a warm-up, whatever else it says.', async () => {
    const stage = await open(to, [], { upstream })
    const body = { input: 'Say hello.', store: false, prompt_cache_options: { prewarm: true } }
    const warm = await stage.ask({ ...body, generate: true })
    expect(responseOf(warm)).toMatchObject({ status: 'completed', output: [] })
    expect(stage.model.requests).toHaveLength(0)
  })

  test('A warm-up that is stored is continued on another socket, without one, and read.', async () => {
    const stage = openHarness(to, [says('Hello.'), says('Again.')], { upstream, keys: ['a', 'b'] })
    const headers = { authorization: 'Bearer a' }
    const body = { model: 'm', input: 'Say hello.', tools }
    const socket = await openTestSocket(stage.gateway, { headers })
    socket.send(create({ ...body, generate: false }))
    const warm = responseOf(await socket.response())
    expect(warm).toMatchObject({ status: 'completed', store: true })
    const next = { previous_response_id: warm.id, input: [] }
    const other = await openTestSocket(stage.gateway, { headers })
    other.send(create({ ...next, tools }))
    expect(responseOf(await other.response())).toMatchObject({ previous_response_id: warm.id })
    const plain = await stage.post('/v1/responses', { ...body, ...next }, headers)
    expect(plain.json(), plain.text).toMatchObject({ previous_response_id: warm.id, status: 'completed' })
    for (const request of stage.model.requests) expect(textsOf(request, 'user')).toEqual(['Say hello.'])
    expect((await stage.get(`/v1/responses/${warm.id}`, headers)).json()).toMatchObject({ id: warm.id })
    const foreign = { authorization: 'Bearer b' }
    expect((await stage.get(`/v1/responses/${warm.id}`, foreign)).status).toBe(404)
    const refused = await stage.post('/v1/responses', { ...body, ...next }, foreign)
    expect(refused.json().error).toMatchObject({ code: 'previous_response_not_found' })
  })

  test('A failed continuation evicts what it continued; a full request goes on.', async () => {
    const stage = await open(to, [says('One.'), fails(400, 'No.'), says('Two.')], { upstream })
    const first = responseOf(await stage.ask({ input: 'A', store: false }))
    const failed = await stage.ask({ previous_response_id: first.id, input: 'B', store: false })
    expect(failed.at(-1)).toMatchObject({ type: 'error', status: 400 })
    const again = await stage.ask({ previous_response_id: first.id, input: 'B', store: false })
    if (to !== 'responses' || 'state' in upstream) {
      expect(again.at(-1)).toMatchObject({
        type: 'error',
        status: 400,
        error: { code: 'previous_response_not_found', param: 'previous_response_id' },
      })
    }
  })
})

test('What is stored is continued from the store, on any socket and without one.', async () => {
  const stage = await open('chat', [says('One.'), says('Two.'), says('Three.')])
  const first = responseOf(await stage.ask({ input: 'A' }))
  const other = await openTestSocket(stage.gateway)
  other.send(create({ previous_response_id: first.id, input: 'B' }))
  const second = responseOf(await other.response())
  const third = await stage.post('/v1/responses', { model: 'm', previous_response_id: second.id, input: 'C' })
  expect(third.status).toBe(200)
  expect(textsOf(stage.model.requests[2], 'user')).toEqual(['A', 'B', 'C'])
})

test('What is not stored is unknown to every other socket, and to requests without one.', async () => {
  const stage = await open('chat', [says('One.')])
  const first = responseOf(await stage.ask({ input: 'A', store: false }))
  const other = await openTestSocket(stage.gateway)
  other.send(create({ previous_response_id: first.id, input: 'B' }))
  expect(errorOf(await other.response())).toMatchObject({ code: 'previous_response_not_found' })
  const plain = await stage.post('/v1/responses', { model: 'm', previous_response_id: first.id, input: 'B' })
  expect(plain.json().error).toMatchObject({ code: 'previous_response_not_found' })
})

test('Another key’s stored response is unknown on a socket, frame by frame.', async () => {
  const store = createMemoryStore()
  const stage = openHarness('chat', [says('One.'), says('Two.')], { store, keys: ['a', 'b'] })
  const [a, b] = await Promise.all(
    ['a', 'b'].map(key => openTestSocket(stage.gateway, { headers: { authorization: `Bearer ${key}` } })),
  )
  a?.send(create({ input: 'A' }))
  const mine = responseOf((await a?.response()) ?? [])
  b?.send(create({ previous_response_id: mine.id, input: 'B' }))
  expect(errorOf((await b?.response()) ?? [])).toMatchObject({ code: 'previous_response_not_found' })
  a?.send(create({ previous_response_id: mine.id, input: 'B' }))
  expect(responseOf((await a?.response()) ?? []).status).toBe('completed')
})

test('A lane keeps its order, and lanes run at the same time; each message names its lane.', async () => {
  const release = new Map<string, () => void>()
  const asked: string[] = []
  const stage = await open('chat', request => {
    const text = String(request.user)
    asked.push(text)
    return new Promise(resolve => release.set(text, () => resolve(says(text))))
  })
  const { socket } = stage
  for (const [lane, text] of [
    ['a', 'a1'],
    ['a', 'a2'],
    ['b', 'b1'],
    [undefined, 'c1'],
  ] as const) {
    // Some clients write fields that they do not set as null.
    socket.send(create({ input: text, store: false, stream_id: lane ?? null }))
  }
  await until(() => asked.length === 3)
  expect(asked.toSorted()).toEqual(['a1', 'b1', 'c1'])
  release.get('b1')?.()
  await socket.first(message => isLast(message) && message.stream_id === 'b')
  release.get('a1')?.()
  await until(() => asked.length === 4)
  release.get('a2')?.()
  release.get('c1')?.()
  await socket.first(message => isLast(message) && message.stream_id === undefined)
  await until(() => socket.received.filter(isLast).length === 4)
  for (const lane of ['a', 'b', undefined]) {
    const texts = socket.received.filter(
      message => message.stream_id === lane && message.type === 'response.output_text.done',
    )
    expect(texts.map(({ text }) => text)).toEqual(
      lane === 'a' ? ['a1', 'a2'] : lane === 'b' ? ['b1'] : ['c1'],
    )
  }
})
