/** What the inspector reads of exchanges, asked of a real gateway with real upstreams, without a browser. */
import { createServer, type Server } from 'node:http'
import { defineTool } from '@toolwire/core'
import { afterEach, expect, test } from 'vitest'
import { registerWires } from '../../packages/toolwire/src/gateway/wires.ts'
import { findBefore, readWholeConversation } from '../../packages/toolwire/src/reading/earlier.ts'
import type { Reading } from '../../packages/toolwire/src/reading/reading.ts'
import { createMemoryStore } from '../../packages/toolwire/src/store/memory-store.ts'
import type { Trace } from '../../packages/toolwire/src/telemetry/traces/trace-document.ts'
import { openTestSocket } from '../support/gateway/socket.ts'
import { close, listen } from '../support/gateway/upstream.ts'
import { ask, type Served, serveInspector } from './stage.ts'

const wires = registerWires()
const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end()
})

const begin = async (...args: Parameters<typeof serveInspector>): Promise<Served> => {
  const served = await serveInspector(...args)
  open.push(() => served.close())
  return served
}

interface Answer {
  readonly status: number
  readonly message?: object
}

/** An upstream of Chat that answers in this order. */
async function upstreamWith(answers: readonly Answer[]): Promise<string> {
  const left = [...answers]
  const server: Server = createServer((incoming, outgoing) => {
    incoming.resume()
    incoming.on('end', () => {
      const { status, message } = left.shift() ?? { status: 500 }
      outgoing.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' })
      const calls = message !== undefined && 'tool_calls' in message
      const choice = { index: 0, finish_reason: calls ? 'tool_calls' : 'stop', message }
      const body =
        message === undefined
          ? { error: { message: 'busy' } }
          : { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice] }
      outgoing.end(JSON.stringify(body))
    })
  })
  const origin = await listen(server)
  open.push(() => close(server))
  return `${origin}/v1`
}

const says = (content: string): Answer => ({ status: 200, message: { role: 'assistant', content } })
const calls = (...names: string[]): Answer => ({
  status: 200,
  message: {
    role: 'assistant',
    content: null,
    tool_calls: names.map((name, i) => ({
      id: `call_${i}`,
      type: 'function',
      function: { name, arguments: '{}' },
    })),
  },
})

async function readingOf(url: string, id: string): Promise<{ trace: Trace; reading: Reading }> {
  const response = await fetch(`${url}/toolwire/traces/${id}/reading`)
  return (await response.json()) as { trace: Trace; reading: Reading }
}

const question = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

test('A timeline has every attempt with its upstream, the pauses, the fallback, the rounds, and tools side by side.', async () => {
  const [first, second] = [
    await upstreamWith([{ status: 503 }]),
    await upstreamWith([calls('left', 'right'), { status: 503 }, says('Done.')]),
  ]
  const tool = (name: string) => defineTool({ name, description: name, handler: async () => name })
  const { url } = await begin({
    upstreams: [
      { name: 'first', wire: 'chat', baseUrl: first, models: ['m'], order: 1 },
      { name: 'second', wire: 'chat', baseUrl: second, models: ['m'], order: 2 },
    ],
    tools: [tool('left'), tool('right')],
  })
  const { trace, reading } = await readingOf(url, await ask(url, '/v1/chat/completions', question))
  expect(
    trace.attempts?.map(({ upstream, round, status }) => `${upstream}, round ${round}: ${status}`),
  ).toEqual(['first, round 1: 503', 'second, round 1: 200', 'second, round 2: 503', 'second, round 2: 200'])
  for (const { at_ms, connected_ms = -1, ended_ms = -1 } of trace.attempts ?? []) {
    expect(connected_ms).toBeGreaterThanOrEqual(at_ms)
    expect(ended_ms).toBeGreaterThanOrEqual(connected_ms)
  }
  const steps = reading.timeline?.steps ?? []
  const whats = steps.filter(({ who }) => who !== 'gateway').map(({ name, what }) => `${name} ${what}`)
  const inOrder = ['first wait', 'second wait', 'second answer', 'left tool', 'right tool', 'second pause']
  expect(whats.filter((what, i) => inOrder.includes(what) && whats.indexOf(what) === i)).toEqual(inOrder)
  const sums = reading.timeline?.sums ?? { gateway: 0, upstream: 0, tool: 0, pauses: 0 }
  expect(sums.gateway + sums.upstream + sums.tool + sums.pauses).toBeCloseTo(reading.timeline?.end ?? 0, 1)
  expect(reading.timeline?.end).toBeCloseTo(trace.summary.total_ms ?? 0, 0)
})

interface Listed {
  readonly id: string
  readonly conversation?: string
  readonly turn?: number
  readonly lane?: string
}

async function listed(url: string): Promise<Listed[]> {
  const response = await fetch(`${url}/toolwire/traces`)
  return ((await response.json()) as { data: Listed[] }).data
}

/** Sends a request, and returns its id and that of its answer. */
async function exchange(url: string, path: string, body: object, key?: string) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const answer = /"id":"((?:resp|msg)_[^"]+)"/.exec(text)?.[1] ?? ''
  return { id: response.headers.get('x-request-id') ?? '', answer }
}

const wordsOf = (said: readonly { who: string; text: string }[] = []) =>
  said.filter(({ who }) => who === 'user').map(({ text }) => text)

test.each([
  {
    wire: 'Responses',
    path: '/v1/responses',
    ask: (text: string, previous?: string) => ({
      model: 'demo',
      instructions: 'Be brief.',
      input: text,
      ...(previous !== undefined && { previous_response_id: previous }),
    }),
  },
  {
    wire: 'Messages in a thread',
    path: '/v1/messages',
    ask: (text: string, previous?: string) => ({
      model: 'demo',
      max_tokens: 100,
      messages: [{ role: 'user', content: text }],
      thread:
        previous === undefined ? { type: 'create' } : { type: 'continue', previous_message_id: previous },
    }),
  },
])(
  'A request on $wire that continues an answer shows what was said before it, and is of its conversation.',
  async ({ path, ask: body }) => {
    const { url, ring } = await begin({ store: createMemoryStore() })
    const first = await exchange(url, path, body('One'))
    const second = await exchange(url, path, { ...body('Two', first.answer), stream: true })
    const third = await exchange(url, path, body('Three', second.answer))
    const { reading } = await readingOf(url, third.id)
    const { before, history, missing } = reading.conversation
    expect(wordsOf(before)).toEqual(['One', 'Two'])
    expect(before?.filter(({ who }) => who === 'assistant')).toHaveLength(2)
    expect(before?.filter(({ who }) => who === 'system')).toHaveLength(0)
    expect(wordsOf(history)).toEqual(['Three'])
    expect(missing).toBeUndefined()
    const list = await listed(url)
    expect(new Set(list.map(({ conversation }) => conversation)).size).toBe(1)
    expect(list.map(({ turn }) => turn)).toEqual([3, 2, 1])
    // When the exchanges before are gone, what the upstream was sent still has their words.
    const trace = ring.get(third.id) as Trace
    const alone = readWholeConversation(
      trace,
      { find: name => wires.get(name) },
      await findBefore(trace, () => undefined),
    )
    expect(wordsOf(alone.before)).toEqual(['One', 'Two'])
  },
)

test('What another owner said is not shown to who continues it, and the page says that it is missing.', async () => {
  const { url, ring } = await begin({ keys: ['key-of-ann', 'key-of-bob'], store: createMemoryStore() })
  const ann = await exchange(url, '/v1/responses', { model: 'demo', input: 'A secret' }, 'key-of-ann')
  const body = { model: 'demo', input: 'Go on', previous_response_id: ann.answer }
  const bob = await exchange(url, '/v1/responses', body, 'key-of-bob')
  const response = await fetch(`${url}/toolwire/traces/${bob.id}/reading`, {
    headers: { authorization: 'Bearer key-of-bob' },
  })
  const text = await response.text()
  expect(text).not.toContain('A secret')
  expect(JSON.parse(text).reading.conversation.missing).toBe(ann.answer)
  expect(ring.get(ann.id)).toBeDefined()
})

test('Responses on one lane of a socket are one conversation, and those of another lane are another.', async () => {
  const { url, gateway } = await begin({ store: createMemoryStore() })
  const socket = await openTestSocket(gateway)
  for (const [lane, text] of [
    ['left', 'One'],
    ['right', 'Two'],
    ['left', 'Three'],
  ]) {
    socket.send({ type: 'response.create', model: 'demo', input: text, stream_id: lane })
    await socket.response()
  }
  socket.disconnect()
  const list = (await listed(url)).reverse().filter(({ lane }) => lane !== undefined)
  expect(list.map(({ lane }) => lane)).toEqual(['left', 'right', 'left'])
  const [first, second, third] = list.map(({ conversation }) => conversation)
  expect(third).toBe(first)
  expect(second).not.toBe(first)
})
