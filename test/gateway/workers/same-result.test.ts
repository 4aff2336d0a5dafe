/** A request that a worker thread converts, and its answer, are the same as on the event loop. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { beforeAll, expect, test, vi } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Limits } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Harness, HarnessOptions } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, wires } from '../../support/faults/wires.ts'
import { conversationFixtures, fixtures } from '../../support/fixtures/fixtures.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()
let workerFile: URL

beforeAll(async () => {
  workerFile = await buildWorkerFile()
})

/** Everything is too large for the event loop. */
const tiny: Partial<Limits> = { inlineBytes: 1, workers: 1 }

function open(
  wire: Wire,
  limits: Partial<Limits>,
  answer?: HarnessOptions['answer'],
  upstream: HarnessOptions['upstream'] = {},
): Harness {
  const harness = createHarness({
    upstream,
    sealKeys: ['the seal of all gateways under test'],
    ...(answer !== undefined && { answer }),
    wire,
    losses: 'allow',
    limits,
    newId: prefix => `${prefix}new`,
    store: createMemoryStore({ now: () => 0 }),
    workerFile,
  })
  closing.push(() => harness.gateway.close())
  return harness
}

/** Ids that a worker makes are random. */
const withoutIds = (text: string): string => text.replaceAll(/_[0-9a-f]{32}/g, '_new')

interface Seen {
  readonly sent: unknown
  readonly status: number | undefined
  readonly losses: string | undefined
  readonly text: string
}

async function exchange({ gateway, upstream }: Harness, wire: Wire, body: object): Promise<Seen> {
  const before = upstream.requests.length
  const client = sendTo(gateway, paths[wire], { body })
  await client.done
  // A request may be refused before the upstream gets it.
  const asked = upstream.requests[before]
  return {
    sent: asked && JSON.parse(withoutIds(JSON.stringify(asked.body))),
    status: client.status,
    losses: client.headers['x-toolwire-losses'],
    text: withoutIds(client.text),
  }
}

/** Calls every tool that it was given. */
async function callAll(wire: Wire, asked: PendingRequest): Promise<void> {
  const calls = namesIn(asked.body).map((name, i) => ({ name, id: `call_${i}`, arguments: '{"a":1}' }))
  if (asked.body.stream !== true) return asked.json(200, await answerOf(wire, { text: 'Yes.', calls }))
  asked.stream()
  for (const frame of await framesOf(wire, { text: 'Yes.', calls })) asked.data(frame)
  asked.end()
}

/** The names of the tools as the upstream got them. */
function namesIn({ tools }: Record<string, unknown>): string[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap(tool => {
    const name: unknown = tool?.name ?? tool?.function?.name ?? tool?.custom?.name
    return typeof name === 'string' && tool.type !== 'namespace' ? [name] : []
  })
}

const requests = [...conversationFixtures('requests'), ...fixtures]

test.each(wires)(
  'Every request of the fixtures, whole and streamed, gives the same over a %s upstream in a worker.',
  { timeout: 300_000 },
  async upstreamWire => {
    const answer = (asked: PendingRequest): void => void callAll(upstreamWire, asked)
    const there = open(upstreamWire, tiny, answer)
    const here = open(upstreamWire, { workers: 0 }, answer)
    for (const { wire, story, body } of requests) {
      for (const stream of [false, true]) {
        const request = { model: 'm', ...body, stream, store: false }
        const [inWorker, onLoop] = [await exchange(there, wire, request), await exchange(here, wire, request)]
        expect(inWorker, `${wire}/${story}`).toEqual(onLoop)
      }
    }
  },
)

const input = [
  { role: 'user', content: 'Read this.' },
  { role: 'assistant', content: 'word '.repeat(3000) },
  { role: 'user', content: 'And now?' },
]
const trigger = { type: 'compaction_trigger' }
const compactions: readonly (readonly [path: string, body: object])[] = [
  ['/v1/responses/compact', { input }],
  ['/v1/responses', { input: [...input, trigger] }],
  ['/v1/responses', { input, context_management: [{ type: 'compaction', compact_threshold: 2000 }] }],
  ['/v1/messages', { max_tokens: 9, messages: input, compaction: { type: 'summarize' } }],
  [
    '/v1/messages',
    {
      max_tokens: 9,
      messages: input,
      context_management: {
        edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 2000 } }],
      },
    },
  ],
]

test.each(wires)('A conversation is compacted in the same way over %s in a worker.', async upstreamWire => {
  const answer = (asked: PendingRequest): void => void callAll(upstreamWire, asked)
  const upstream = { profile: { compacts: false }, state: 'gateway' } as const
  const there = open(upstreamWire, tiny, answer, upstream)
  const here = open(upstreamWire, { workers: 0 }, answer, upstream)
  for (const [path, body] of compactions) {
    for (const stream of path.endsWith('compact') ? [false] : [false, true]) {
      const [first, second] = await Promise.all(
        [there, here].map(async ({ gateway, upstream: asked }) => {
          const before = asked.requests.length
          const client = sendTo(gateway, path, { body: { model: 'm', store: false, ...body, stream } })
          await client.done
          expect(client.status, client.text).toBe(200)
          expect(client.text).toContain('toolwire-sealed.')
          const sent = asked.requests.slice(before).map(request => request.body)
          return { sent: JSON.parse(withoutIds(JSON.stringify(sent))), text: withoutIds(client.text) }
        }),
      )
      expect(first, path).toEqual(second)
    }
  }
})

test.each(wires)(
  'A long answer of a %s upstream gives each client the same in a worker.',
  async upstreamWire => {
    const there = open(upstreamWire, tiny)
    const here = open(upstreamWire, { workers: 0 })
    const calls = [{ name: 'weather', id: 'call_1', arguments: '{"city":"Oslo"}' }]
    const answer = await answerOf(upstreamWire, { text: 'word '.repeat(20_000), calls })
    for (const wire of wires) {
      const results: string[] = []
      for (const { gateway, upstream } of [there, here]) {
        const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
        ;(await upstream.next()).json(200, answer)
        await client.done
        expect(client.status).toBe(200)
        results.push(withoutIds(client.text))
      }
      expect(results[0]?.length).toBeGreaterThan(100_000)
      expect(results[0]).toBe(results[1])
    }
  },
)

test('A response that a worker converted is stored, and can be continued with all of its history.', async () => {
  const { gateway, upstream } = createHarness({
    store: createMemoryStore({ now: () => 0 }),
    limits: tiny,
    workerFile,
  })
  closing.push(() => gateway.close())
  const first = await answered(gateway, upstream, { model: 'm', input: [{ role: 'user', content: 'One.' }] })
  const { id } = first.json()
  const reference = { type: 'item_reference', id: await firstItemOf(gateway, id) }
  const second = await answered(gateway, upstream, { model: 'm', previous_response_id: id, input: 'Two.' })
  const third = await answered(gateway, upstream, {
    model: 'm',
    input: [reference, { role: 'user', content: 'Three.' }],
  })
  expect([first, second, third].map(({ status }) => status)).toEqual([200, 200, 200])
  expect(upstream.requests.map(({ body }) => texts(body))).toEqual([
    ['One.'],
    ['One.', 'Fine.', 'Two.'],
    ['One.', 'Three.'],
  ])
})

async function answered(
  gateway: Gateway,
  upstream: Harness['upstream'],
  body: object,
): Promise<ReceivedAnswer> {
  const client = sendTo(gateway, paths.responses, { body })
  ;(await upstream.next()).json(200, await answerOf('chat'))
  await client.done
  return client
}

async function firstItemOf(gateway: Gateway, id: unknown): Promise<unknown> {
  const listed = sendTo(gateway, `${paths.responses}/${id}/input_items`)
  await listed.done
  return (listed.json().data as { id: unknown }[])[0]?.id
}

const texts = ({ messages }: Record<string, unknown>): unknown[] =>
  (messages as { content: unknown }[]).map(({ content }) => content)

test('Refusals of a large request are those of the event loop, in the caller’s wire.', async () => {
  for (const wire of wires) {
    for (const body of [
      '{"model":"m",',
      '[]',
      '{"x":"no model"}',
      `{"model":"m","x":${'['.repeat(600)}`,
      '{"x":[1,2,3,4,5,6]}',
    ]) {
      const results: unknown[] = []
      for (const limits of [tiny, { workers: 0 }]) {
        const { gateway } = open('chat', { ...limits, nodes: 700 })
        const client = sendTo(gateway, paths[wire], { body })
        await client.done
        results.push([client.status, client.text])
      }
      expect(results[0], body.slice(0, 20)).toEqual(results[1])
    }
  }
})

test('Long settings, very many references, and long names of models are refused before the event loop has to handle them.', async () => {
  const { gateway, upstream } = open('chat', { workers: 1 })
  const long = 'word '.repeat(900_000)
  const ask = async (more: object): Promise<unknown> => {
    const client = sendTo(gateway, paths.responses, { body: { ...bodyFor('responses'), ...more } })
    await client.done
    return [client.status, client.json()]
  }
  const reference = (_: unknown, index: number): object => ({ type: 'item_reference', id: `msg_${index}` })
  const refused: readonly (readonly [object, number, string])[] = [
    [{ instructions: long }, 413, 'body_too_large'],
    [{ metadata: { long } }, 413, 'body_too_large'],
    [{ input: Array.from({ length: 20_001 }, reference) }, 413, 'body_too_many_nodes'],
    [{ model: 'm'.repeat(1001) }, 400, 'model_not_found'],
    [{ model: 'm'.repeat(1001), input: long }, 400, 'model_not_found'],
  ]
  for (const [body, status, code] of refused) {
    expect(await ask(body)).toEqual([status, { error: expect.objectContaining({ code }) }])
  }
  expect(upstream.requests).toEqual([])
})

test('Of a large request and its large answer, the event loop parses and writes no long text.', async () => {
  const { gateway, upstream } = open('chat', { workers: 1, inlineBytes: 100_000 })
  const long = 'word '.repeat(100_000)
  const answer = JSON.stringify(await answerOf('chat', { text: long }))
  const body = Buffer.from(
    JSON.stringify(bodyFor('messages', { messages: [{ role: 'user', content: long }] })),
  )
  const parse = vi.spyOn(JSON, 'parse')
  const stringify = vi.spyOn(JSON, 'stringify')
  const client = sendTo(gateway, paths.messages, { body })
  ;(await upstream.next()).json(200, answer)
  await client.done
  const parsed = parse.mock.calls.map(([text]) => text.length)
  const written = stringify.mock.results.map(({ value }) => String(value).length)
  parse.mockRestore()
  stringify.mockRestore()
  expect(client.text.length).toBeGreaterThan(500_000)
  expect(Math.max(0, ...parsed, ...written)).toBeLessThan(100_000)
})

test('The tokens of a request are counted in the worker, and the answer states how.', async () => {
  const { gateway } = open('chat', { workers: 1 })
  const count = async (content: string): Promise<ReceivedAnswer> => {
    const body = { model: 'gpt-5', messages: [{ role: 'user', content }] }
    const client = sendTo(gateway, '/v1/messages/count_tokens', { body })
    await client.done
    return client
  }
  const short = await count('Hello, how are you?')
  expect(short.headers['x-toolwire-count-method']).toContain('o200k_base')
  const long = await count('word '.repeat(300_000))
  expect(long.headers['x-toolwire-count-method']).toContain('estimate')
  expect(Number(long.json().input_tokens)).toBeGreaterThan(200_000)
})

test('A name that is written twice goes upstream once, as it was read.', async () => {
  const { gateway, upstream } = open('chat', tiny)
  const body = '{"model":"first","messages":[{"role":"user","content":"a"}],"model":"m"}'
  const client = sendTo(gateway, paths.chat, { body })
  const asked = await upstream.next()
  asked.json(200, await answerOf('chat'))
  await client.done
  const sent = String(Buffer.from(asked.request.body as Uint8Array))
  expect(sent.match(/"model"/g)).toHaveLength(1)
  expect(asked.body.model).toBe('m')
})

test('A response of another key that the upstream holds is refused in a large request too.', async () => {
  const { gateway, upstream } = createHarness({
    wire: 'responses',
    keys: ['key-one', 'key-two'],
    limits: tiny,
    workerFile,
  })
  closing.push(() => gateway.close())
  const post = (key: string, body: object): ReceivedAnswer =>
    sendTo(gateway, paths.responses, { body, headers: { authorization: `Bearer ${key}` } })
  const first = post('key-one', bodyFor('responses'))
  ;(await upstream.next()).json(200, await answerOf('responses', { text: 'word '.repeat(20_000) }))
  await first.done
  const { id } = first.json()
  const stolen = post('key-two', bodyFor('responses', { previous_response_id: id }))
  await stolen.done
  expect(stolen.status).toBe(400)
  expect(upstream.requests).toHaveLength(1)
  const own = post('key-one', bodyFor('responses', { previous_response_id: id }))
  const asked = await upstream.next()
  expect(asked.body.previous_response_id).toBe(id)
  asked.json(200, await answerOf('responses'))
  await own.done
  expect(own.status).toBe(200)
})

test('The tokens of a stored history are counted in the worker too.', async () => {
  const { gateway, upstream } = open('chat', { workers: 1 })
  const input = 'word '.repeat(60_000)
  const first = await answered(gateway, upstream, { model: 'm', input })
  const { id } = first.json()
  const parse = vi.spyOn(JSON, 'parse')
  const body = { model: 'gpt-5', previous_response_id: id, input: 'Two.' }
  const client = sendTo(gateway, '/v1/responses/input_tokens', { body })
  await client.done
  const parsed = parse.mock.calls.map(([text]) => text.length)
  parse.mockRestore()
  expect(Number(client.json().input_tokens)).toBeGreaterThan(60_000)
  expect(Math.max(0, ...parsed)).toBeLessThan(100_000)
})

test('A history of many small values, or one that a short request refers to, is put in place by the worker.', async () => {
  const { gateway, upstream } = createHarness({
    losses: 'allow',
    store: createMemoryStore({ now: () => 0 }),
    limits: { workers: 1 },
    workerFile,
  })
  closing.push(() => gateway.close())
  const odd = Array.from({ length: 1_800 }, () => ({}))
  const input = [{ type: 'message', role: 'user', content: 'word '.repeat(50), odd }]
  let previous: unknown
  for (let i = 0; i < 7; i++) {
    const more = previous === undefined ? {} : { previous_response_id: previous }
    const client = await answered(gateway, upstream, { model: 'm', input, ...more })
    expect(client.status).toBe(200)
    previous = client.json().id
  }
  const long = await answered(gateway, upstream, {
    model: 'm',
    input: [{ type: 'message', role: 'user', content: 'word '.repeat(120_000) }],
  })
  const reference = { type: 'item_reference', id: await firstItemOf(gateway, long.json().id) }
  const question = { role: 'user', content: 'Two.' }
  const parse = vi.spyOn(JSON, 'parse')
  const replies = []
  for (const body of [{ previous_response_id: previous, input: 'Two.' }, { input: [reference, question] }]) {
    const client = sendTo(gateway, paths.responses, { body: { model: 'm', ...body } })
    ;(await upstream.next()).json(200, await answerOf('chat'))
    await client.done
    replies.push(client.status)
  }
  const parsed = parse.mock.calls.map(([text]) => text.length)
  parse.mockRestore()
  expect(replies).toEqual([200, 200])
  expect(parsed.filter(length => length > 3_000)).toEqual([])
})
