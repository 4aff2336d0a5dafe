/** What agents try before their first request: whether somebody is there, and whether there are sockets. */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { says } from '@toolwire/core/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNodeServer } from '../../../packages/toolwire/src/gateway/http/node-server.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const { gateway } = openHarness('chat', [says('Hi.')], { webSockets: 'off' })
const server = createNodeServer(gateway)
let port = 0

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

interface Told {
  readonly status: number | undefined
  readonly body: string
}

const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<Told> =>
  new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers }, answer => {
      let body = ''
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      answer.on('end', () => resolve({ status: answer.statusCode, body }))
    })
    sent.on('error', reject)
    sent.end()
  })

test('HEAD / is answered without a body, and GET / says who is there.', async () => {
  expect(await ask('HEAD', '/')).toEqual({ status: 200, body: '' })
  const told = await ask('GET', '/')
  expect([told.status, JSON.parse(told.body).name]).toEqual([200, 'toolwire'])
})

test.each(['/v1/responses', '/responses', '/v1/chat/completions', '/v1/messages'])(
  'A WebSocket at %s, where none are served, is refused with 426, so that the client goes on without.',
  async path => {
    const told = await ask('GET', path, {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    })
    expect(told.status).toBe(426)
  },
)

test('Other upgrades are ignored, as HTTP demands.', async () => {
  const told = await ask('GET', '/live', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' })
  expect(told.status).toBe(200)
})
