/** What a client may send or continue, the process lives on, and refuses what it has no memory for. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type BuiltCommand,
  buildCommand,
} from '../../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { type Reply, type Served, send, startServed } from '../../support/attacks/served.ts'
import { close, listen } from '../../support/gateway/upstream.ts'

const mega = 1_000_000
let command: BuiltCommand
let upstream: Server
let baseUrl: string
let served: Served

const completion = (content: string): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  })

const delta = (fields: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: fields, finish_reason }] })}\n\n`

/** A thousand characters of each, as many bytes on the wire. */
const pieces: Readonly<Record<string, string>> = {
  stream: 'x'.repeat(1000),
  escapes: '"quoted"\n\\'.repeat(91),
  wide: '日本'.repeat(166),
}

/** Answers at once with as many bytes as the model's name says, as `whole-60000000` or `stream-90000000`. */
async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let head = ''
  for await (const chunk of incoming) if (head.length < 65_536) head += String(chunk).slice(0, 65_536)
  const [, kind, size = '0'] = /"model":"(whole|stream|escapes|wide)-(\d+)"/.exec(head) ?? []
  const content = pieces[kind ?? '']
  if (content !== undefined) {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    const piece = delta({ content })
    for (let sent = 0; sent < Number(size); sent += 1000) {
      if (outgoing.destroyed) return
      if (!outgoing.write(piece)) await new Promise(resolve => outgoing.once('drain', resolve))
    }
    outgoing.end(`${delta({}, 'stop')}data: [DONE]\n\n`)
    return
  }
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end(completion(kind === 'whole' ? 'x'.repeat(Number(size)) : 'Hello.'))
}

beforeAll(async () => {
  command = await buildCommand()
  upstream = createServer((incoming, outgoing) => void answer(incoming, outgoing).catch(() => {}))
  baseUrl = `${await listen(upstream)}/v1`
}, 60_000)

afterEach(() => served?.stop())

afterAll(async () => {
  command.remove()
  await close(upstream)
})

const start = async (more = ''): Promise<Served> => {
  served = await startServed(command, {
    config: `export default { upstreams: [{ name: 'up', wire: 'chat', baseUrl: '${baseUrl}' }], log: { level: 'error' }, ${more} }`,
  })
  return served
}

const text = (bytes: number): string => 'x'.repeat(bytes)
const chatBody = (content: unknown): string =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] })

/** All were answered, those that were refused in the wire's format and with when to try again; and it still works. */
async function expectAlive(replies: readonly Reply[]): Promise<void> {
  for (const { status, headers, text } of replies) {
    expect([200, 413, 429, 503, 529], text).toContain(status)
    if (status === 200) continue
    // A deaf client has not read it.
    if (text !== '') expect(text).toContain('"error"')
    if (status !== 413) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
  expect(served.child.exitCode).toBeNull()
  expect(await send(`${served.url}/v1/chat/completions`, { body: chatBody('Hi.') })).toMatchObject({
    status: 200,
  })
}

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

describe('a heap of 512 MB', { timeout: 120_000 }, () => {
  test.each<[string, () => string]>([
    ['30 MB of text', () => chatBody(text(30 * mega))],
    ['30 MB of text beyond Latin-1', () => chatBody('日'.repeat(10 * mega))],
    ['60 MB of text', () => chatBody(text(60 * mega))],
    [
      '30 MB of short messages',
      () =>
        `{"model":"m","messages":[${Array.from({ length: 750_000 }, () => '{"role":"user","content":"Hello."}').join(',')}]}`,
    ],
    ['30 MB of empty objects', () => `{"model":"m","messages":[${'{},'.repeat(10 * mega)}{}]}`],
    [
      '30 MB of numbers in a field that nobody reads',
      () => `{"model":"m","messages":[],"x":[${'1,'.repeat(15 * mega)}1]}`,
    ],
  ])('A request of %s, once and four at a time, does not end the process.', async (_, make) => {
    const { url } = await start("store: { kind: 'none' }")
    const body = Buffer.from(make())
    await expectAlive(await times(4, () => send(`${url}/v1/messages`, { body })))
    await expectAlive([await send(`${url}/v1/chat/completions`, { body })])
  })

  test.each(['memory', 'sqlite'])(
    'Forty short requests that continue, read or refer to one large response in the %s store do not end the process.',
    async kind => {
      const { url } = await start(`store: { kind: '${kind}' }`)
      let stored: { id: string; output: { id: string }[] } | undefined
      let size = 20 * mega
      for (; stored === undefined && size > mega; size /= 2) {
        const body = JSON.stringify({
          model: 'm',
          input: [{ id: 'msg_large', type: 'message', role: 'user', content: text(size) }],
        })
        const made = await send(`${url}/v1/responses`, { body })
        await expectAlive([made])
        if (made.status === 200) stored = JSON.parse(made.text)
      }
      const id = stored?.id ?? ''
      const attacks: readonly [string, string | undefined][] = [
        ['/v1/responses', JSON.stringify({ model: 'm', input: 'Go on.', previous_response_id: id })],
        [
          '/v1/responses',
          JSON.stringify({
            model: 'm',
            store: false,
            input: Array.from({ length: 100 }, () => ({ type: 'item_reference', id: 'msg_large' })),
          }),
        ],
        [`/v1/responses/${id}/input_items`, undefined],
        [`/v1/responses/${id}`, undefined],
      ]
      for (const [path, body] of attacks) {
        const replies = await times(40, () => send(url + path, { ...(body !== undefined && { body }) }))
        await expectAlive(replies)
        await expectAlive(
          await times(40, () => send(url + path, { ...(body !== undefined && { body }), isDeaf: true })),
        )
      }
    },
  )

  test('Ten answers of 30 MB at a time do not end the process.', async () => {
    const { url } = await start("store: { kind: 'none' }")
    for (const path of ['/v1/messages']) {
      const body = JSON.stringify({
        model: 'whole-30000000',
        max_tokens: 5,
        messages: [{ role: 'user', content: 'Hi.' }],
      })
      await expectAlive(await times(10, () => send(url + path, { body })))
      await expectAlive(await times(10, () => send(url + path, { body, isDeaf: true })))
    }
  })
})

const kinds: Readonly<Record<string, string>> = {
  'plain text': 'stream',
  'text with escapes': 'escapes',
  'text beyond Latin-1': 'wide',
}

describe('a streamed answer of 90 MB', { timeout: 120_000 }, () => {
  test.each([
    ['plain text', '/v1/chat/completions'],
    ['plain text', '/v1/messages'],
    ['plain text', '/v1/responses'],
    ['text with escapes', '/v1/responses'],
    ['text beyond Latin-1', '/v1/responses'],
  ])(
    'A stream of 90 MB of %s on %s reaches the client whole and takes less than 300 MB.',
    async (text, path) => {
      const { url, peakBytes } = await start("store: { kind: 'none' }, limits: { memoryBytes: 4e9 }")
      const messages = [{ role: 'user', content: 'Hi.' }]
      const body = JSON.stringify({
        model: `${kinds[text]}-90000000`,
        stream: true,
        ...(path === '/v1/responses' ? { input: 'Hi.' } : { max_tokens: 5, messages }),
      })
      const reply = await send(url + path, { body })
      expect(reply.status).toBe(200)
      // The end of a stream of Responses repeats the text four times.
      expect(reply.bytes).toBeGreaterThan((path === '/v1/responses' ? 5 : 1) * 90 * mega)
      expect(peakBytes() / mega).toBeLessThan(300)
    },
  )
})
