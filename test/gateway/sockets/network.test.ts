/** Sockets over a network: the handshake, long messages, compression, and requests that ask for other protocols. */
import { says } from '@toolwire/core/testing'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { GatewayOptions } from '../../../packages/toolwire/src/gateway/settings.ts'
import type { NodeAdapter } from '../../support/faults/adapters.ts'
import { openNodeAdapter, rawRequest, sendRaw } from '../../support/faults/adapters.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'
import type { Harness } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const closing = closeAfterEach()

async function open(
  options: Partial<GatewayOptions> = {},
): Promise<Harness & { readonly adapter: NodeAdapter; readonly address: string }> {
  const harness = openHarness('chat', () => says('Hello.'), options)
  const adapter = await openNodeAdapter(harness.gateway)
  closing.push(async () => {
    await harness.gateway.close()
    await adapter.close()
  })
  return { ...harness, adapter, address: `ws://127.0.0.1:${adapter.port}/v1/responses` }
}

function connect(address: string, options: object = {}): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, options)
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

function ask(socket: WebSocket, more: object): Promise<Record<string, unknown>> {
  const answered = new Promise<Record<string, unknown>>(resolve => {
    const onMessage = (data: unknown): void => {
      const message = JSON.parse(String(data)) as Record<string, unknown>
      if (message.type !== 'response.completed' && message.type !== 'error') return
      socket.off('message', onMessage)
      resolve(message)
    }
    socket.on('message', onMessage)
  })
  socket.send(JSON.stringify({ type: 'response.create', model: 'm', store: false, ...more }))
  return answered
}

const closed = (socket: WebSocket): Promise<number> =>
  new Promise(resolve => socket.once('close', code => resolve(code)))

test('A message of 16 MB is answered, and one beyond the limit closes the socket with 1009.', async () => {
  const { address, gateway, model } = await open({
    limits: { bodyBytes: 17 * 1024 * 1024, memoryBytes: 2 ** 31 },
  })
  const socket = await connect(address)
  const text = 'x'.repeat(16 * 1024 * 1024)
  const answer = await ask(socket, { input: text })
  expect(answer.type).toBe('response.completed')
  expect(model.requests[0]?.user.length).toBe(text.length)
  const code = closed(socket)
  socket.send(JSON.stringify({ type: 'response.create', input: `${text}${text}` }))
  expect(await code).toBe(1009)
  await expect.poll(() => [gateway.active, gateway.sockets, gateway.memoryUsed]).toEqual([0, 0, 0])
})

test('A long answer arrives in one message, whatever pieces it was sent in.', async () => {
  const text = 'ein Stück \u{1f600} '.repeat(60_000)
  const harness = openHarness('chat', () => says(text), {})
  const adapter = await openNodeAdapter(harness.gateway)
  closing.push(async () => {
    await harness.gateway.close()
    await adapter.close()
  })
  const socket = await connect(`ws://127.0.0.1:${adapter.port}/v1/responses`)
  const answer = await ask(socket, { input: 'Speak.' })
  expect(answer).toMatchObject({ response: { output: [{ content: [{ text }] }] } })
})

test('Messages are compressed only where that is switched on.', async () => {
  const plain = await connect((await open()).address, { perMessageDeflate: true })
  expect(plain.extensions).toBe('')
  const compressed = await connect((await open({ webSockets: 'compressed' })).address, {
    perMessageDeflate: true,
  })
  expect(compressed.extensions).toContain('permessage-deflate')
  expect((await ask(compressed, { input: 'Hello' })).type).toBe('response.completed')
})

test('A handshake that is refused is answered in the format of the wire, and the connection closed.', async () => {
  const { adapter, gateway } = await open({ keys: ['k'] })
  const handshake = [
    'host: localhost',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
  ]
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
  const send = (lines: readonly string[]) =>
    sendRaw(adapter.port, ['GET /v1/responses HTTP/1.1', ...lines, '', ''].join('\r\n'))
  const [unknown] = await send([...handshake, key])
  expect(unknown?.status).toBe(401)
  expect(JSON.parse(unknown?.body ?? '')).toMatchObject({ error: { code: 'invalid_api_key' } })
  const [invalid] = await send([...handshake, 'authorization: Bearer k'])
  expect(invalid?.status).toBe(400)
  expect(JSON.parse(invalid?.body ?? '')).toMatchObject({ error: { code: 'invalid_upgrade' } })
  expect(gateway.sockets).toBe(0)
})

test('A client that pings and does not read gets the answer to its latest ping, and nothing piles up for it.', async () => {
  const { address } = await open()
  const socket = await connect(address)
  const answers: string[] = []
  const last = new Promise<void>(resolve => {
    socket.on('pong', data => {
      answers.push(data.toString())
      if (data.toString() === 'last') resolve()
    })
  })
  socket.ping('first')
  await expect.poll(() => answers).toEqual(['first'])
  socket.pause()
  const payload = 'x'.repeat(125)
  const count = 600_000
  for (let sent = 1; sent <= count; sent++) {
    if (sent % 10_000 === 0) await new Promise(resolve => socket.ping(payload, undefined, resolve))
    else socket.ping(payload)
  }
  socket.ping('last')
  await expect.poll(() => socket.bufferedAmount, { timeout: 60_000 }).toBe(0)
  socket.resume()
  await last
  // The system itself holds some megabytes for a connection.
  expect(answers.length).toBeLessThan(count)
}, 120_000)

test('A request that offers HTTP/2 beside itself is answered as if it had not.', async () => {
  const { adapter, model } = await open()
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
  const request = rawRequest(
    'POST /v1/chat/completions HTTP/1.1',
    [
      'host: localhost',
      'content-type: application/json',
      'upgrade: h2c',
      'http2-settings: AAMAAABkAAQCAAAAAAIAAAAA',
    ],
    body,
  ).replace('connection: close', 'connection: Upgrade, HTTP2-Settings')
  const socket = (await import('node:net')).connect({ port: adapter.port, host: '127.0.0.1' })
  const answer = new Promise<string>(resolve => socket.once('data', data => resolve(String(data))))
  socket.write(request)
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(model.requests[0]?.user).toBe('Hello')
  socket.destroy()
})
