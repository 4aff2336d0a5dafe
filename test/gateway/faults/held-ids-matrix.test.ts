/** Every kind of id that an upstream holds, on every route and transport: of another key's, it does not exist. */
import { createHash } from 'node:crypto'
import type { BuiltInWire as Wire } from '@toolwire/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn } from '../../support/faults/wires.ts'
import { isLast, openTestSocket } from '../../support/gateway/socket.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'

const ann = 'ann-key-0123456789'
const bob = 'bob-key-0123456789'
const ownerOf = (key: string): string => createHash('sha256').update(key).digest('hex')

/** What has "anns" in its id is Ann's, at whatever upstream. */
function storeOfAnns(): Store {
  const store = createMemoryStore({ now: () => startOfTime })
  const ownersOf: Store['ownersOf'] = async (_, ids) =>
    new Map(ids.filter(id => id.includes('anns')).map(id => [id, ownerOf(ann)]))
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = name === 'ownersOf' ? ownersOf : Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

type Attempt = (id: string) => object
const user = (...content: object[]): object => ({ role: 'user', content })
const input = (...content: object[]): object => ({ input: [{ type: 'message', ...user(...content) }] })
const tool = (type: string, more: object): object => ({ tools: [{ type, ...more }] })

/** Ways to refer to what answers name; unknown ids of these kinds are refused. */
const named: { readonly [W in Wire]: { readonly [name: string]: Attempt } } = {
  responses: {
    'a response': id => ({ previous_response_id: id }),
    'a response to compare with': id => ({ prompt_cache_options: { comparison_response_id: id } }),
    'a conversation': id => ({ conversation: id }),
    'an item': id => ({ input: [{ type: 'item_reference', id }] }),
    'an approval': id => ({
      input: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
    }),
    'a container': id => tool('code_interpreter', { container: id }),
    'the container of a shell': id =>
      tool('shell', { environment: { type: 'container_reference', container_id: id } }),
  },
  messages: {
    'a container': id => ({ container: id }),
    'a container with skills': id => ({ container: { id, skills: [] } }),
  },
  chat: {
    'a spoken answer': id => ({
      messages: [
        { role: 'assistant', audio: { id } },
        { role: 'user', content: 'x' },
      ],
    }),
  },
}

/** Ways to refer to what is made apart from answers; unknown ids of these kinds pass, unless that is refused. */
const madeApart: typeof named = {
  responses: {
    'a file': id => input({ type: 'input_file', file_id: id }),
    'a picture': id => input({ type: 'input_image', file_id: id }),
    'a file in a result': id => ({
      input: [
        { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_id: id }] },
      ],
    }),
    'a screenshot': id => ({
      input: [
        { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', file_id: id } },
      ],
    }),
    'a mask': id => tool('image_generation', { input_image_mask: { file_id: id } }),
    'files of a container': id =>
      tool('code_interpreter', { container: { type: 'auto', file_ids: ['f', id] } }),
    'files of a shell': id => tool('shell', { environment: { type: 'container_auto', file_ids: [id] } }),
    'a skill of a shell': id =>
      tool('shell', {
        environment: { type: 'container_auto', skills: [{ type: 'skill_reference', skill_id: id }] },
      }),
    'a vector store': id => tool('file_search', { vector_store_ids: [id] }),
    'a tunnel': id => tool('mcp', { server_label: 's', tunnel_id: id }),
    'a prompt': id => ({ prompt: { id } }),
    'a file of a prompt': id => ({
      prompt: { id: 'p', variables: { v: { type: 'input_file', file_id: id } } },
    }),
  },
  messages: {
    'a document': id => ({ messages: [user({ type: 'document', source: { type: 'file', file_id: id } })] }),
    'a picture': id => ({ messages: [user({ type: 'image', source: { type: 'file', file_id: id } })] }),
    'an upload': id => ({ messages: [user({ type: 'container_upload', file_id: id })] }),
    'a document in a result': id => ({
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'n', input: {} }] },
        user({
          type: 'tool_result',
          tool_use_id: 'c',
          content: [{ type: 'document', source: { type: 'file', file_id: id } }],
        }),
      ],
    }),
    'a skill': id => ({ container: { skills: [{ type: 'custom', skill_id: id, version: '1' }] } }),
  },
  chat: {
    'a file': id => ({ messages: [user({ type: 'file', file: { file_id: id } })] }),
    'a voice': id => ({ modalities: ['audio'], audio: { format: 'wav', voice: { id } } }),
  },
}

interface Told {
  readonly status: number
  readonly text: string
}
/** Sends a request, and answers it if it reaches the upstream. */
type Transport = (harness: Harness, key: string, body: object) => Promise<Told>

const post =
  (target: string, more: object = {}): Transport =>
  async ({ gateway }, key, body) => {
    const client = sendTo(gateway, target, { body: { ...body, ...more }, headers: { 'x-api-key': key } })
    await client.done
    return { status: client.status ?? 0, text: client.text }
  }

const overSocket: Transport = async ({ gateway }, key, body) => {
  const socket = await openTestSocket(gateway, { headers: { 'x-api-key': key } })
  socket.send({ type: 'response.create', ...body })
  const last = await socket.first(isLast)
  socket.disconnect()
  return { status: Number(last.status ?? 200), text: JSON.stringify(last) }
}

const transports: { readonly [W in Wire]: { readonly [name: string]: Transport } } = {
  responses: {
    whole: post(paths.responses),
    streamed: post(paths.responses, { stream: true }),
    'in the background': post(paths.responses, { background: true }),
    'over a WebSocket': overSocket,
    'counting tokens': post('/v1/responses/input_tokens'),
    compacting: post('/v1/responses/compact'),
  },
  messages: {
    whole: post(paths.messages),
    streamed: post(paths.messages, { stream: true }),
    'counting tokens': post('/v1/messages/count_tokens'),
  },
  chat: { whole: post(paths.chat), streamed: post(paths.chat, { stream: true }) },
}

let workerFile: URL
const open_: Harness[] = []
beforeAll(async () => {
  workerFile = await buildWorkerFile()
})
afterAll(() => Promise.all(open_.map(({ gateway }) => gateway.close())))

async function open(wire: Wire, upstream: Partial<Upstream>, inlineBytes?: number): Promise<Harness> {
  const whole = await answerOf(wire)
  const frames = (await framesOf(wire, textTurn)).join('')
  const harness = createHarness({
    wire,
    // Known to make summaries, or it would be tried first whether it does.
    upstream: { name: 'up', profile: { compacts: true }, ...upstream },
    keys: [ann, bob],
    store: storeOfAnns(),
    losses: 'allow',
    workerFile,
    limits: { ...(inlineBytes !== undefined && { inlineBytes }), workers: 1 },
    answer(asked) {
      if (asked.body.stream === true) asked.stream().data(frames).end()
      else asked.json(200, whole)
    },
  })
  open_.push(harness)
  return harness
}

const cases = (Object.keys(transports) as Wire[]).flatMap(wire =>
  Object.keys(transports[wire]).flatMap(transport =>
    [undefined, 1].map(inlineBytes => ({
      wire,
      transport,
      inlineBytes,
      thread: inlineBytes ? 'worker' : 'loop',
    })),
  ),
)

async function expectRefused(harness: Harness, send: Transport, body: object, name: string): Promise<string> {
  const { upstream } = harness
  const before = upstream.requests.length
  const { status, text } = await send(harness, bob, body)
  expect([400, 404], `${name}: ${text}`).toContain(status)
  expect(text, name).toMatch(/_not_found"/)
  expect(upstream.requests.length, name).toBe(before)
  return text
}

async function expectPassed(
  harness: Harness,
  send: Transport,
  key: string,
  body: object,
  name: string,
): Promise<void> {
  const { upstream } = harness
  const before = upstream.requests.length
  const { text } = await send(harness, key, body)
  expect(text, name).not.toMatch(/_not_found"/)
  expect(upstream.requests.length, `${name}: ${text}`).toBeGreaterThan(before)
}

describe.each(cases)('$wire, $transport, on the $thread', ({ wire, transport, inlineBytes }) => {
  const send: Transport = (harness, key, body) => {
    const found = transports[wire][transport]
    if (found === undefined) throw new Error('There is such a transport.')
    return found(harness, key, { ...bodyFor(wire), ...body })
  }

  test('What one key was given is as unknown to another as what nobody was given.', async () => {
    const harness = await open(wire, {}, inlineBytes)
    for (const [name, attempt] of Object.entries(named[wire])) {
      const foreign = await expectRefused(harness, send, attempt('id_anns'), name)
      const missing = await expectRefused(harness, send, attempt('id_none'), name)
      const plain = (text: string): string => text.replaceAll(/id_\w+|req_\w+/g, 'ID')
      expect(plain(foreign), name).toBe(plain(missing))
      await expectPassed(harness, send, ann, attempt('id_anns'), name)
    }
  })

  test('What one key made is not for another to name; what nobody made here passes, unless it is refused.', async () => {
    const usual = await open(wire, {}, inlineBytes)
    const strict = await open(wire, { unknownIds: 'refuse' }, inlineBytes)
    const moving = await open(wire, { unknownIds: 'pass' }, inlineBytes)
    for (const [name, attempt] of Object.entries(madeApart[wire])) {
      for (const harness of [usual, strict, moving])
        await expectRefused(harness, send, attempt('id_anns'), name)
      await expectPassed(usual, send, ann, attempt('id_anns'), name)
      await expectPassed(usual, send, bob, attempt('id_none'), name)
      await expectRefused(strict, send, attempt('id_none'), name)
    }
  })
})

test('A file of another key’s does not pass to an upstream of another wire either, nor in a thread.', async () => {
  for (const inlineBytes of [undefined, 1]) {
    const responses = await open('responses', {}, inlineBytes)
    const chat = { ...bodyFor('chat'), ...madeApart.chat['a file']?.('id_anns') }
    await expectRefused(responses, post(paths.chat), chat, 'chat to responses')
    await expectPassed(responses, post(paths.chat), ann, chat, 'chat to responses')
  }
  const messages = await open('messages', {})
  const thread = { ...bodyFor('messages'), thread: { type: 'create' } }
  const body = { ...thread, ...madeApart.messages['a document']?.('id_anns') }
  await expectRefused(messages, post(paths.messages), body, 'thread')
  await expectPassed(messages, post(paths.messages), ann, body, 'thread')
})
