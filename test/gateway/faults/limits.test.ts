/** Requests that are too long, too deep, or not what they say: refused in JSON, in the words of the caller's wire. */
import { PassThrough } from 'node:stream'
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { adapters, jsonPost, openNodeAdapter, rawRequest, sendRaw } from '../../support/faults/adapters.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, errorIn, paths, wires } from '../../support/faults/wires.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()

const unknownPaths: { readonly [W in Wire]: string } = {
  chat: '/v1/chat/nothing',
  responses: '/v1/responses/resp_1/nothing',
  messages: '/v1/messages/nothing',
}

describe.each(adapters)('through %s', (_, open) => {
  test.each(wires)('Every refusal is JSON in the format of the %s wire.', async wire => {
    const { gateway, upstream } = createHarness({
      keys: ['the-key'],
      limits: { bodyBytes: 1000, depth: 20, nodes: 100 },
    })
    const adapter = await open(gateway)
    closing.push(() => adapter.close())
    const key = { authorization: 'Bearer the-key' }
    const json = (body: unknown): RequestInit => jsonPost(body, key)
    const cases: readonly (readonly [status: number, target: string, init: RequestInit])[] = [
      [400, paths[wire], json('{"model": "m",')],
      [400, paths[wire], json('')],
      [400, paths[wire], json('[]')],
      [400, paths[wire], json('null')],
      [400, paths[wire], json('{}')],
      [400, paths[wire], { ...json(''), body: new Uint8Array([0x7b, 0xff, 0x7d]) }],
      [401, paths[wire], jsonPost(bodyFor(wire))],
      [401, paths[wire], jsonPost(bodyFor(wire), { 'x-api-key': 'other' })],
      [403, paths[wire], jsonPost(bodyFor(wire), { ...key, origin: 'http://evil.example' })],
      [404, unknownPaths[wire], { headers: key }],
      [wire === 'responses' ? 426 : 405, paths[wire], { headers: key }],
      [405, paths[wire], { headers: key, method: 'PATCH' }],
      [413, paths[wire], json(`{"model":"m","x":${'['.repeat(30)}${']'.repeat(30)}}`)],
      [413, paths[wire], json(`{"model":"m","x":[${'{},'.repeat(60)}{}]}`)],
      [413, paths[wire], json(`{"model":"m"${',"":1'.repeat(120)}}`)],
      [413, paths[wire], json({ ...bodyFor(wire), metadata: { x: 'x'.repeat(1000) } })],
      [415, paths[wire], { method: 'POST', headers: { ...key, 'content-type': 'text/plain' }, body: '{}' }],
      [415, paths[wire], { method: 'POST', headers: key, body: new URLSearchParams({ model: 'm' }) }],
    ]
    for (const [status, target, init] of cases) {
      const response = await adapter.request(target, init)
      const name = `${status} ${init.method ?? 'GET'} ${target} ${String(init.body).slice(0, 40)}`
      expect(response.status, name).toBe(status)
      expect(response.headers.get('content-type'), name).toMatch(/^application\/json/)
      expect(response.headers.get('x-request-id'), name).toMatch(/^req_/)
      expect(errorIn(wire, await response.json()), name).toMatch(/\w/)
      if (status === 405) expect(response.headers.get('allow')).toContain('POST')
      if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(upstream.requests.length).toBe(0)
  })

  test('A body over the limit is refused whether or not its length was announced.', async () => {
    const { gateway, upstream } = createHarness({ limits: { bodyBytes: 100_000 } })
    const adapter = await open(gateway)
    closing.push(() => adapter.close())
    const chunks = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(50_000).fill(0x20))
      },
    })
    const init = { ...jsonPost(''), body: chunks, duplex: 'half' } as RequestInit
    const response = await adapter.request(paths.messages, init).catch((error: unknown) => error)
    // A server may close on who never stops sending, as long as nothing is kept of it.
    if (response instanceof Response) expect(response.status).toBe(413)
    expect(upstream.requests.length).toBe(0)
    const next = adapter.request(paths.messages, jsonPost(bodyFor('messages')))
    ;(await upstream.next()).json(200, await answerOf('chat'))
    expect((await next).status).toBe(200)
  })
})

test('The history of a long session, ten megabytes and more, is accepted. [field G15]', async () => {
  const { gateway, upstream } = createHarness()
  const input = [{ role: 'user', content: 'x'.repeat(11 * 1024 * 1024) }]
  const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { input }) })
  ;(await upstream.next()).json(200, await answerOf('chat'))
  await client.done
  expect(client.status).toBe(200)
})

describe('a server of node:http', () => {
  test('The Node server has limits for headers, slow headers and slow bodies.', async () => {
    const { gateway } = createHarness()
    const adapter = await openNodeAdapter(gateway)
    const { headersTimeout, requestTimeout } = adapter.server
    await adapter.close()
    expect(headersTimeout).toBe(20_000)
    expect(requestTimeout).toBe(120_000)
    const own = { headersTimeoutMs: 11, requestTimeoutMs: 12 }
    const other = await openNodeAdapter(gateway, own)
    await other.close()
    expect(other.server).toMatchObject({ headersTimeout: 11, requestTimeout: 12 })
  })

  test.each(wires)(
    'The Node server refuses headers that are too long in the format of the %s wire.',
    async wire => {
      const { gateway, upstream } = createHarness()
      const adapter = await openNodeAdapter(gateway, { headerBytes: 8000 })
      closing.push(() => adapter.close())
      const headers = ['host: localhost', `x-long: ${'x'.repeat(10_000)}`]
      const [answer] = await sendRaw(adapter.port, rawRequest(`POST ${paths[wire]} HTTP/1.1`, headers, '{}'))
      expect(answer?.status).toBe(431)
      expect(errorIn(wire, JSON.parse(answer?.body ?? ''))).toBe('The headers are too long.')
      expect(upstream.requests.length).toBe(0)
    },
  )

  test.each(wires)('The Node server refuses a foreign Host in the format of the %s wire.', async wire => {
    const { gateway } = createHarness()
    const adapter = await openNodeAdapter(gateway)
    closing.push(() => adapter.close())
    const headers = ['host: evil.example', 'content-type: application/json']
    const [answer] = await sendRaw(adapter.port, rawRequest(`POST ${paths[wire]} HTTP/1.1`, headers, '{}'))
    expect(answer?.status).toBe(421)
    expect(errorIn(wire, JSON.parse(answer?.body ?? ''))).toContain('allowedHosts')
  })

  test('The Node server refuses a client that is too slow, and closes the connection.', async () => {
    const { gateway } = createHarness()
    const adapter = await openNodeAdapter(gateway)
    closing.push(() => adapter.close())
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const socket = new PassThrough()
    adapter.server.emit('clientError', late, socket)
    const text = (await socket.toArray()).join('')
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(text).toContain('connection: close')
    expect(text).toContain('took too long to arrive')
  })

  test('The Node server refuses what is not HTTP with JSON, and closes the connection.', async () => {
    const { gateway } = createHarness()
    const adapter = await openNodeAdapter(gateway)
    closing.push(() => adapter.close())
    for (const text of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00',
      'GET /live HTTP/1.1\r\n\r\n',
    ]) {
      const [answer] = await sendRaw(adapter.port, text)
      expect(answer?.status, JSON.stringify(text)).toBe(400)
    }
    const [answer] = await sendRaw(adapter.port, 'POST /v1/messages HTTP/1.1\r\nbad header\r\n\r\n')
    expect(answer?.status).toBe(400)
    expect(errorIn('messages', JSON.parse(answer?.body ?? ''))).toBe('This is not a valid HTTP request.')
  })
})

describe('nesting', () => {
  test.each([513, 10_000, 1_000_000])(
    'A body nested %i levels deep is refused before it is parsed.',
    async depth => {
      const { gateway, upstream } = createHarness()
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const body = `{"model":"m","messages":[{"role":"user","content":${open.repeat(depth)}1${close.repeat(depth)}}]}`
        const client = sendTo(gateway, paths.chat, { body })
        await client.done
        expect(client.status).toBe(413)
        expect(errorIn('chat', client.json())).toContain('nested deeper than 512 levels')
        const unclosed = sendTo(gateway, paths.chat, { body: open.repeat(depth) })
        await unclosed.done
        expect(unclosed.status).toBe(413)
      }
      expect(upstream.requests.length).toBe(0)
    },
  )

  test('Brackets inside strings do not count as nesting, whatever is escaped there.', async () => {
    const { gateway, upstream } = createHarness()
    const content = `${'['.repeat(5000)}\\"${'{'.repeat(5000)}`
    const client = sendTo(gateway, paths.chat, {
      body: { model: 'm', messages: [{ role: 'user', content }] },
    })
    const asked = await upstream.next()
    expect(JSON.stringify(asked.body)).toContain(JSON.stringify(content))
    asked.json(200, await answerOf('chat'))
    await client.done
    expect(client.status).toBe(200)
  })

  test.each(wires)('Deeply nested arguments and answers of a model do not harm a %s client.', async wire => {
    const isFine = ({ status, json }: ReceivedAnswer): boolean =>
      status === 200 || errorIn(wire, json()) !== undefined
    for (const depth of [1000, 20_000]) {
      const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
      const { gateway, upstream } = createHarness()
      const called = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
      const calls = [{ name: 'weather', id: 'call_1', arguments: `{"city":${deep}}` }]
      ;(await upstream.next()).json(200, await answerOf('chat', { calls }))
      await called.done
      expect(isFine(called)).toBe(true)
      const answered = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
      ;(await upstream.next()).json(200, `{"choices":[{"message":{"content":"x","odd":${deep}}}]}`)
      await answered.done
      expect(isFine(answered)).toBe(true)
      expect(gateway.active).toBe(0)
    }
  })
})
