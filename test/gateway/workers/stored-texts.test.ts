/** What is stored and long is never parsed, written, copied or looked into as a whole on the event loop. */
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Item, Store } from '../../../packages/toolwire/src/store/store.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf } from '../../support/faults/wires.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()
let workerFile: URL

beforeAll(async () => {
  workerFile = await buildWorkerFile()
})

const owner = 'anonymous'
const text = 'It is a long story, "quoted". '.repeat(100_000)
const message = (id: string): Item => ({
  id,
  json: JSON.stringify({ id, type: 'message', role: 'user', content: text }),
})
const many = Array.from({ length: 5_000 }, (_, index): Item => {
  const id = `msg_${index}`
  return { id, json: JSON.stringify({ id, role: 'user', content: 'a' }) }
})
const output = [
  { id: 'msg_out', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
]

async function filledStore(): Promise<Store> {
  const store = createMemoryStore({ now: () => 0 })
  const times = { owner, createdAt: 0, expiresAt: 1e15 }
  const response = { id: 'resp_1', object: 'response', background: true, status: 'completed', output }
  await store.saveResponse({
    ...times,
    id: 'resp_1',
    status: 'completed',
    response: JSON.stringify(response),
    input: [message('msg_in'), ...many],
    output: output.map(item => ({ id: item.id, json: JSON.stringify(item) })),
  })
  await store.createConversation({ ...times, id: 'conv_1', metadata: '{}' }, [message('msg_said'), ...many])
  return store
}

/** A text that came in pieces, and cannot be looked into. */
function unread({ id, json }: Item): Item {
  if (json.length < 1_000_000) return { id, json }
  const pieces = json.match(/[\s\S]{1,500000}/g) ?? []
  return { id, json: { length: json.length } as unknown as string, pieces }
}

/** What a store gives in pieces, as one in a thread does. */
function inPieces(store: Store): Store {
  const { getResponse, context, getItems, listItems, getItem } = store
  return Object.assign(store, {
    async getResponse(...given: Parameters<Store['getResponse']>) {
      const found = await getResponse.apply(store, given)
      if (found === undefined) return undefined
      const { json, pieces } = unread({ id: '', json: found.response })
      const { input, output } = found
      return {
        ...found,
        response: json,
        responsePieces: pieces,
        input: input.map(unread),
        output: output.map(unread),
      }
    },
    async context(...given: Parameters<Store['context']>) {
      return (await context.apply(store, given))?.map(unread)
    },
    async getItems(...given: Parameters<Store['getItems']>) {
      const found = await getItems.apply(store, given)
      return new Map([...found].map(([id, item]) => [id, unread(item)]))
    },
    async listItems(...given: Parameters<Store['listItems']>) {
      const found = await listItems.apply(store, given)
      return found && { ...found, items: found.items.map(unread) }
    },
    async getItem(...given: Parameters<Store['getItem']>) {
      const found = await getItem.apply(store, given)
      return found && unread(found)
    },
  })
}

interface Seen {
  readonly status: number | undefined
  readonly text: string
}

type Ask = (method: string, target: string, body?: object) => Promise<Seen>

async function open(workers: number): Promise<{ readonly ask: Ask; readonly sent: string[] }> {
  const whole = await answerOf('chat')
  const sent: string[] = []
  const { gateway }: { gateway: Gateway } = createHarness({
    store: workers === 0 ? await filledStore() : inPieces(await filledStore()),
    limits: { workers, memoryBytes: 4e9 },
    workerFile,
    newId: prefix => `${prefix}new`,
    answer(asked) {
      sent.push(Buffer.from(asked.request.body as Uint8Array).toString('utf8'))
      asked.json(200, whole)
    },
  })
  closing.push(() => gateway.close())
  const ask: Ask = async (method, target, body) => {
    const client = sendTo(gateway, target, { method, ...(body !== undefined && { body }) })
    await client.done
    return { status: client.status, text: client.text }
  }
  return { ask, sent }
}

const requests: readonly (readonly [method: string, target: string, body?: object])[] = [
  ['GET', '/v1/responses/resp_1'],
  ['POST', '/v1/responses/resp_1/cancel'],
  ['GET', '/v1/responses/resp_1/input_items?order=asc'],
  ['GET', '/v1/responses/resp_1/input_items?after=msg_40'],
  ['GET', '/v1/conversations/conv_1/items?order=asc&limit=100'],
  ['GET', '/v1/conversations/conv_1/items/msg_said'],
  ['POST', '/v1/responses/input_tokens', { model: 'm', previous_response_id: 'resp_1', input: 'x' }],
  ['POST', '/v1/responses', { model: 'm', store: false, previous_response_id: 'resp_1', input: 'x' }],
  ['POST', '/v1/responses', { model: 'm', store: false, conversation: 'conv_1', input: 'x' }],
  [
    'POST',
    '/v1/responses',
    { model: 'm', store: false, input: [{ type: 'item_reference', id: 'msg_said' }] },
  ],
]

test.each(requests.map(([method, target, body]) => ({ method, target, body })))(
  '$method $target of a long record costs the event loop little, and gives the same.',
  async ({ method, target, body }) => {
    const onLoop = await open(0)
    const expected = await onLoop.ask(method, target, body)
    expect(expected.status, expected.text.slice(0, 300)).toBe(200)
    const { ask, sent } = await open(1)
    const { parse, stringify } = JSON
    const lengths = { parsed: 0, written: 0 }
    vi.spyOn(JSON, 'parse').mockImplementation((json: string, reviver) => {
      lengths.parsed = Math.max(lengths.parsed, json.length)
      return parse(json, reviver)
    })
    vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
      const json = stringify(value)
      lengths.written = Math.max(lengths.written, json?.length ?? 0)
      return json
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const seen = await ask(method, target, body)
    vi.restoreAllMocks()
    // Without workers, tokens are counted by length alone.
    if (!target.endsWith('input_tokens')) expect(seen.text === expected.text).toBe(true)
    expect(sent).toEqual(onLoop.sent)
    expect(seen.status).toBe(200)
    expect(lengths.parsed).toBeLessThan(100_000)
    expect(lengths.written).toBeLessThan(100_000)
  },
)
