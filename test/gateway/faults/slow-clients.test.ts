/** Clients that do not read: the upstream waits for them, and the gateway holds little. */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import {
  jsonPost,
  openFetchAdapter,
  openNodeAdapter,
  openSocket,
  rawRequest,
  startUpstream,
} from '../../support/faults/adapters.ts'
import { fill } from '../../support/faults/full-client.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, endOf, framesOf, paths, textTurn, wires } from '../../support/faults/wires.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()

const mebi = 1024 * 1024
const piece = 'x'.repeat(64 * 1024)
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const big = `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content: piece }, finish_reason: null }] })}\n\n`

test('A client on a socket that reads nothing makes the upstream wait, and gets everything once it reads.', async () => {
  const { gateway, upstream } = createHarness()
  const adapter = await openNodeAdapter(gateway)
  closing.push(() => adapter.close())
  const answering = new Promise<ServerResponse>(resolve => {
    adapter.server.once('request', (_request, response) => resolve(response))
  })
  const socket = await openSocket(adapter.port)
  const headers = ['host: localhost', 'content-type: application/json']
  const body = JSON.stringify(bodyFor('messages', { stream: true }))
  socket.write(rawRequest(`POST ${paths.messages} HTTP/1.1`, headers, body))
  const asked = await upstream.next()
  asked.stream()
  const [first = '', ...rest] = await framesOf('chat', textTurn)
  asked.data(first)
  const given = await fill(asked, big, 64 * mebi)
  // Beyond what the system keeps for the connection there is one piece at most.
  expect(asked.isPaused).toBe(true)
  expect(given).toBeLessThan(32 * mebi)
  const response = await answering
  expect(response.writableLength).toBeLessThan(mebi)
  for (let i = 0; i < 10; i++) {
    const other = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
    ;(await upstream.next()).json(200, await answerOf('chat'))
    await other.done
    expect(other.status).toBe(200)
  }
  expect(asked.isPaused).toBe(true)
  const resumed = asked.whenResumed()
  const received: Buffer[] = []
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  socket.on('data', data => received.push(data))
  await resumed
  asked.data(rest.join('')).end()
  await closed
  const text = Buffer.concat(received).toString('latin1')
  expect(text.split(piece).length - 1).toBe(given / big.length)
  expect(text).toContain('message_stop')
})

test.each(wires)('A %s client of a fetch handler that reads nothing makes the upstream wait.', async wire => {
  const { gateway, upstream } = createHarness()
  const adapter = await openFetchAdapter(gateway)
  const answer = adapter.request(paths[wire], jsonPost(bodyFor(wire, { stream: true })))
  const asked = await upstream.next()
  asked.stream()
  const [first = '', ...rest] = await framesOf('chat', textTurn)
  asked.data(first)
  const response = await answer
  const given = await fill(asked, big, 8 * mebi)
  expect(asked.isPaused).toBe(true)
  expect(given).toBeLessThanOrEqual(2 * big.length)
  const resumed = asked.whenResumed()
  const reading = response.text()
  await resumed
  asked.data(rest.join('')).end()
  const text = await reading
  expect(endOf(wire, text).end).toBe('good')
  expect(text).toContain(piece)
})

test('An upstream on a socket is held back.', async () => {
  const total = 40 * mebi
  let sent = 0
  const upstream = await startUpstream((request, response) => {
    request.resume()
    if (request.headers.accept !== 'text/event-stream') {
      void answerOf('chat').then(answer => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer))
      })
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const more = (): void => {
      while (sent < total) {
        sent += big.length
        if (!response.write(big)) {
          response.once('drain', more)
          return
        }
      }
      void framesOf('chat', textTurn).then(frames => response.end(frames.slice(1).join('')))
    }
    more()
  })
  const gateway = createGateway({ upstreams: [{ name: 'up', wire: 'chat', baseUrl: upstream.baseUrl }] })
  const adapter = await openNodeAdapter(gateway)
  closing.push(
    () => adapter.close(),
    () => gateway.close(),
    () => upstream.close(),
  )
  const response = await adapter.request(paths.chat, jsonPost(bodyFor('chat', { stream: true })))
  // Other exchanges are the clock: when nothing more was sent during so many of them, nothing is under way.
  for (let still = 0; still < 15; ) {
    const before = sent
    expect((await adapter.request(paths.chat, jsonPost(bodyFor('chat')))).status).toBe(200)
    still = sent === before ? still + 1 : 0
  }
  expect(sent).toBeLessThan(total)
  let length = 0
  let end = ''
  for await (const data of response.body ?? []) {
    length += data.byteLength
    end = (end + Buffer.from(data).toString('latin1')).slice(-500)
  }
  expect(length).toBeGreaterThan(total)
  expect(end.trimEnd().endsWith('[DONE]')).toBe(true)
})

test('An upstream that was held has its full idle time again when the client reads on.', async () => {
  let isFull = true
  const { gateway, upstream, clock } = createHarness({
    upstream: { timeouts: { idleMs: 1000 } },
    heartbeatMs: 0,
  })
  const client = sendTo(gateway, paths.chat, {
    body: bodyFor('chat', { stream: true }),
    hasRoom: () => !isFull,
  })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  const [first = '', ...rest] = await framesOf('chat', textTurn)
  asked.data(first)
  await clock.advance(1999)
  isFull = false
  client.drain()
  await clock.advance(999)
  asked.data(rest.join('')).end()
  await client.done
  expect(endOf('chat', client.text)).toEqual({ end: 'good' })
})

test('A slow client gets no timeout of the upstream.', async () => {
  let isFull = false
  const { gateway, upstream, clock } = createHarness({
    upstream: { timeouts: { idleMs: 1000 } },
    heartbeatMs: 500,
  })
  const client = sendTo(gateway, paths.chat, {
    body: bodyFor('chat', { stream: true }),
    hasRoom: () => !isFull,
  })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  const [first = '', ...rest] = await framesOf('chat', textTurn)
  isFull = true
  asked.data(first)
  await clock.settle()
  expect(asked.isPaused).toBe(true)
  const before = client.text
  await clock.advance(10_000)
  // No sign of life for who takes nothing, and no complaint about an upstream that is made to wait.
  expect(client.text).toBe(before)
  isFull = false
  client.drain()
  expect(asked.isPaused).toBe(false)
  asked.data(rest.join('')).end()
  await client.done
  expect(endOf('chat', client.text).end).toBe('good')
})
