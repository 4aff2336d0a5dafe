import type { Server } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import type { UpstreamRequest } from '../http/contract.ts'
import { createUndiciTransport } from './undici-transport.ts'

async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Whether a request to this port that failed counts as sent. */
async function wasSent(port: number): Promise<boolean | undefined> {
  const { transport, close } = createUndiciTransport()
  const url = `http://127.0.0.1:${port}/v1`
  const request: UpstreamRequest = { method: 'POST', url, headers: {}, body: '{}', connectMs: 60_000 }
  const failed = new Promise<boolean | undefined>((resolve, reject) => {
    transport(request, {
      head: () => reject(new Error('There is an answer.')),
      data: () => {},
      end: () => {},
      fail: (_, isSent) => resolve(isSent),
    })
  })
  return failed.finally(close)
}

test('A request whose connection breaks counts as sent, and one without a connection does not.', async () => {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.resetAndDestroy())
  })
  const port = await listen(server)
  expect(await wasSent(port)).toBe(true)
  await new Promise(resolve => server.close(resolve))
  expect(await wasSent(port)).toBe(false)
})
