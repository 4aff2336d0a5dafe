/** Connections on which something comes that is no request: nobody else suffers, and nothing stays open. */
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { NodeAdapter } from '../../support/faults/adapters.ts'
import { adapters, openNodeAdapter, sendRaw } from '../../support/faults/adapters.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { bodyFor, framesOf, paths, textTurn } from '../../support/faults/wires.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()

interface Line extends Harness {
  readonly socket: Socket
  /** All that came, once the client has heard the end. */
  readonly heard: Promise<string>
  /** Resolves when the server has let go of the connection. */
  readonly closed: Promise<void>
}

/** A client that keeps its own end open whatever the server does. */
async function openLine(limits: Parameters<typeof openNodeAdapter>[1] = {}): Promise<Line> {
  const setting = createHarness()
  const adapter: NodeAdapter = await openNodeAdapter(setting.gateway, limits)
  closing.push(() => adapter.close())
  const closed = new Promise<void>(resolve => {
    adapter.server.once('connection', (connection: Socket) => connection.once('close', () => resolve()))
  })
  const socket = connect({ port: adapter.port, host: '127.0.0.1', allowHalfOpen: true })
  const parts: Buffer[] = []
  const heard = new Promise<string>(resolve => {
    const tell = (): void => resolve(Buffer.concat(parts).toString('utf8'))
    socket
      .on('data', part => parts.push(part))
      .on('end', tell)
      .on('error', tell)
  })
  return { ...setting, socket, heard, closed }
}

function requestText(more: object): string {
  const body = JSON.stringify(bodyFor('chat', more))
  const head = `POST ${paths.chat} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

test('Invalid bytes during a stream end the connection and put nothing into the stream.', async () => {
  const { socket, heard, closed, upstream } = await openLine()
  socket.write(requestText({ stream: true }))
  const asked = await upstream.next()
  asked.stream()
  const [first = ''] = await framesOf('chat', textTurn)
  asked.data(first)
  await new Promise(resolve => socket.once('data', resolve))
  socket.write('NONSENSE\r\n\r\n')
  const text = await heard
  expect(text).toContain(first)
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  await closed
  await asked.whenAborted()
})

test('Invalid bytes behind a request whose answer has not begun are refused.', async () => {
  const { socket, heard, closed, upstream } = await openLine()
  socket.write(requestText({}))
  const asked = await upstream.next()
  socket.write('NONSENSE\r\n\r\n')
  expect(await heard).toMatch(/^HTTP\/1\.1 400 /)
  await closed
  await asked.whenAborted()
})

test('A client that sent invalid bytes gets a refusal, and its connection is closed.', async () => {
  const { socket, heard, closed } = await openLine()
  socket.write('NONSENSE\r\n\r\n')
  expect(await heard).toMatch(/^HTTP\/1\.1 400 [\s\S]*not a valid HTTP request/)
  await closed
})

describe.each(adapters)('through %s', (_, open) => {
  test.each(['/live', '/v1/models'])('HEAD %s returns what GET does, without the body.', async path => {
    const { gateway, upstream } = createHarness({ answer: asked => asked.json(200, { data: [] }) })
    const adapter = await open(gateway)
    closing.push(() => adapter.close())
    const [head, whole] = [await adapter.request(path, { method: 'HEAD' }), await adapter.request(path)]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'))
    expect(upstream.requests.length).toBe(path === '/live' ? 0 : 2)
  })
})

test('HEAD does not reach a route that only takes POST.', async () => {
  const { gateway } = createHarness()
  const adapter = await openNodeAdapter(gateway)
  closing.push(() => adapter.close())
  const request = `HEAD ${paths.chat} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
  expect((await sendRaw(adapter.port, request))[0]?.status).toBe(405)
})
