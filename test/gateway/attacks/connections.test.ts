/** Connections that do nothing: they are closed for those that do something. */
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { jsonPost, openNodeAdapter, openSocket, rawRequest, sendRaw } from '../../support/faults/adapters.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function idle(port: number): Promise<Socket> {
  const socket = await openSocket(port)
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

const closed = (socket: Socket): Promise<void> =>
  new Promise(resolve => (socket.closed ? resolve() : socket.once('close', () => resolve())))

test.each([
  ['in all', { connections: 20 }],
  ['of one address', { connections: 1000, addressConnections: 20 }],
])(
  'Idle connections up to the limit %s lock nobody out: the one idle longest is closed.',
  async (_, limits) => {
    const { gateway } = createHarness()
    const adapter = await openNodeAdapter(gateway, limits)
    closing.push(() => adapter.close())
    const first = await idle(adapter.port)
    for (let i = 1; i < 20; i++) await idle(adapter.port)
    const [answer] = await sendRaw(adapter.port, rawRequest('GET /live HTTP/1.1', ['host: localhost']))
    expect(answer?.status).toBe(200)
    await closed(first)
    expect(sockets.slice(2).every(socket => !socket.closed)).toBe(true)
  },
)

test('A connection whose request is being answered is not closed for another, and a new one is refused.', async () => {
  const { gateway, upstream } = createHarness()
  const adapter = await openNodeAdapter(gateway, { connections: 2 })
  closing.push(() => adapter.close())
  const asked = [0, 1].map(() => adapter.request(paths.chat, jsonPost(bodyFor('chat'))))
  const pending = [await upstream.next(), await upstream.next()]
  await closed(await idle(adapter.port))
  for (const one of pending) one.json(200, await answerOf('chat'))
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200)
})
