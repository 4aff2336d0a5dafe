/** Tools of the gateway run on the event loop, and what is large is converted in a worker thread all the same. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { defineTool } from '@toolwire/core'
import { beforeAll, expect, test, vi } from 'vitest'
import type { Limits } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Harness, HarnessOptions } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, errorIn, framesOf, paths, wires } from '../../support/faults/wires.ts'
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

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  handler: ({ word }: { word: string }) => `About ${word}.`,
})
const search = defineTool({
  name: 'web_search',
  parameters: { type: 'object', properties: { query: { type: 'string' } } },
  handler: () => 'Found.',
})

function open(wire: Wire, limits: Partial<Limits>, more: Partial<HarnessOptions> = {}): Harness {
  const harness = createHarness({
    wire,
    losses: 'allow',
    limits,
    newId: prefix => `${prefix}new`,
    store: createMemoryStore({ now: () => 0 }),
    tools: [lookup, { ...lookup, name: 'notes', server: 'files' }],
    hosted: [search],
    workerFile,
    ...more,
  })
  closing.push(() => harness.gateway.close())
  return harness
}

/** Ids that a worker makes are random. */
const withoutIds = (text: string): string => text.replaceAll(/_[0-9a-f]{32}/g, '_new')

/** Two rounds for the gateway, then one for everybody. */
async function answerRound(wire: Wire, asked: PendingRequest, round: number): Promise<void> {
  const names = namesIn(asked.body)
  const own = ['lookup', 'notes', 'web_search'].filter(name => names.includes(name))
  const called = round < 2 ? own : names
  const calls = called.map((name, i) => ({ name, id: `call_${round}_${i}`, arguments: '{"word":"x"}' }))
  const turn = { text: `Round ${round}.`, calls }
  if (asked.body.stream !== true) return asked.json(200, await answerOf(wire, turn))
  asked.stream()
  for (const frame of await framesOf(wire, turn)) asked.data(frame)
  asked.end()
}

function namesIn({ tools }: Record<string, unknown>): string[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap(tool => {
    const name: unknown = tool?.name ?? tool?.function?.name ?? tool?.custom?.name
    return typeof name === 'string' && tool.type !== 'namespace' ? [name] : []
  })
}

test.each(wires)(
  'All rounds of every request of the fixtures are the same over a %s upstream in a worker.',
  { timeout: 600_000 },
  async upstreamWire => {
    const round = { of: 0 }
    const answer = (asked: PendingRequest): void => void answerRound(upstreamWire, asked, round.of++)
    const there = open(upstreamWire, tiny, { answer })
    const here = open(upstreamWire, { workers: 0 }, { answer })
    let rounds = 0
    for (const { wire, story, body } of [...conversationFixtures('requests'), ...fixtures]) {
      for (const stream of [false, true]) {
        const request = { model: 'm', ...body, stream, store: false }
        const seen: unknown[] = []
        for (const { gateway, upstream } of [there, here]) {
          const before = upstream.requests.length
          round.of = 0
          const client = sendTo(gateway, paths[wire], { body: request })
          await client.done
          const sent = upstream.requests.slice(before).map(({ body: asked }) => asked)
          rounds = Math.max(rounds, sent.length)
          seen.push({
            sent: JSON.parse(withoutIds(JSON.stringify(sent))),
            status: client.status,
            losses: client.headers['x-toolwire-losses'],
            text: withoutIds(client.text),
          })
        }
        expect(seen[0], `${wire}/${story}`).toEqual(seen[1])
      }
    }
    expect(rounds).toBeGreaterThan(2)
  },
)

test.each(wires)('A worker puts calls back that a %s client has not seen.', async wire => {
  const results: unknown[] = []
  for (const limits of [tiny, { workers: 0 }]) {
    const { gateway, upstream } = open('chat', limits)
    const calls = [
      { name: 'lookup', id: 'call_1', arguments: '{"word":"rain"}' },
      { name: 'weather', id: 'call_2', arguments: '{"city":"Oslo"}' },
    ]
    const first = sendTo(gateway, paths[wire], { body: bodyFor(wire, { store: false }) })
    ;(await upstream.next()).json(200, await answerOf('chat', { text: 'Wait.', calls }))
    await first.done
    const second = sendTo(gateway, paths[wire], { body: bodyFor(wire, continued[wire]) })
    const asked = await upstream.next()
    asked.json(200, await answerOf('chat'))
    await second.done
    expect(JSON.stringify(asked.body)).toContain('About rain.')
    results.push(JSON.parse(withoutIds(JSON.stringify(asked.body))))
  }
  expect(results[0]).toEqual(results[1])
})

const question = { role: 'user', content: 'Hello' }
const continued: { readonly [W in Wire]: object } = {
  chat: {
    messages: [
      question,
      {
        role: 'assistant',
        content: 'Wait.',
        tool_calls: [
          { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_2', content: 'Rain.' },
    ],
  },
  responses: {
    store: false,
    input: [
      question,
      { role: 'assistant', content: 'Wait.' },
      { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call_output', call_id: 'call_2', output: 'Rain.' },
    ],
  },
  messages: {
    messages: [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Wait.' },
          { type: 'tool_use', id: 'call_2', name: 'weather', input: { city: 'Oslo' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_2', content: 'Rain.' }] },
    ],
  },
}

test.each([false, true])(
  'Of a large request with rounds, the event loop parses and writes no long text (stream: %s).',
  async stream => {
    const { gateway, upstream } = open('chat', { workers: 1, inlineBytes: 100_000 })
    const long = 'word '.repeat(100_000)
    const body = Buffer.from(
      JSON.stringify(bodyFor('messages', { stream, messages: [{ role: 'user', content: long }] })),
    )
    const lengths: number[] = []
    const client = await watched(lengths, async () => {
      const sent = sendTo(gateway, paths.messages, { body })
      for (const id of ['call_1', 'call_2']) {
        const calls = [{ name: 'lookup', id, arguments: '{"word":"x"}' }]
        ;(await upstream.next()).json(200, await answerOf('chat', { text: 'Wait.', calls }))
      }
      ;(await upstream.next()).json(200, await answerOf('chat'))
      await sent.done
      return sent
    })
    expect(client.status).toBe(200)
    expect(upstream.requests).toHaveLength(3)
    expect(Math.max(0, ...lengths)).toBeLessThan(100_000)
    const sent = upstream.requests.map(({ body: asked }) => asked.messages as unknown[])
    expect(sent.map(({ length }) => length)).toEqual([1, 3, 5])
    expect(JSON.stringify(sent[2])).toContain(long)
  },
)

async function watched<T>(lengths: number[], act: () => Promise<T>): Promise<T> {
  const parse = vi.spyOn(JSON, 'parse')
  const stringify = vi.spyOn(JSON, 'stringify')
  try {
    return await act()
  } finally {
    for (const [text] of parse.mock.calls) lengths.push(String(text).length)
    for (const { value } of stringify.mock.results) lengths.push(String(value).length)
    vi.restoreAllMocks()
  }
}

test.each(wires)('What no worker can take of a %s request has a limit of its own.', async wire => {
  // A function does not cross to a worker.
  const profile = { odd: () => true } as object
  const limits = { workers: 1, loopBytes: 10_000, loopNodes: 100 }
  const { gateway, upstream } = open('chat', limits, { upstream: { profile } })
  const post = async (more: object): Promise<ReceivedAnswer> => {
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, more) })
    await client.done
    return client
  }
  const long = await post({ metadata: { user_id: 'x'.repeat(10_000) } })
  const many = await post({ metadata: { user_id: Array(100).fill({}) } })
  expect([long.status, many.status]).toEqual([413, 413])
  expect(errorIn(wire, long.json())).toContain('"limits.loopBytes"')
  expect(errorIn(wire, many.json())).toContain('"limits.loopNodes"')
  expect(upstream.requests).toHaveLength(0)
})

test.each([false, true])('An answer that no worker can take has one too (stream: %s).', async stream => {
  const { gateway, upstream } = open('chat', { workers: 1, loopBytes: 10_000 })
  const client = sendTo(gateway, paths.messages, { body: bodyFor('messages', { stream }) })
  ;(await upstream.next()).json(200, await answerOf('chat', { text: 'x'.repeat(10_000) }))
  await client.done
  expect(client.status).toBe(502)
  expect(errorIn('messages', client.json())).toContain('"limits.loopBytes"')
})
