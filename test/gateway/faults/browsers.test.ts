/** Pages of other sites: a browser says where a request comes from, and must not take an answer for what it is not. */
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { adapters, jsonPost, openNodeAdapter, rawRequest, sendRaw } from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness, HarnessOptions } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'

const own = [
  '/live',
  '/ready',
  '/version',
  '/openapi.json',
  '/metrics',
  '/toolwire/traces',
  '/toolwire/traces/req_1',
  '/v1/models',
  '/v1/responses/resp_1',
  '/v1/responses/resp_1/input_items',
  '/v1/conversations/conv_1',
  '/v1/conversations/conv_1/items',
  '/nowhere',
]

async function harness(options: HarnessOptions = {}): Promise<Harness> {
  const whole = await answerOf('chat')
  const traces = createTraceRing()
  const store = createMemoryStore({ now: () => startOfTime })
  return createHarness({
    traces,
    store,
    observer: traces,
    metrics: () => 'metrics\n',
    upstream: { models: ['m'] },
    answer: asked => asked.json(200, whole),
    ...options,
  })
}

describe.each(adapters)('through %s', (_, open) => {
  test.each(['cross-site', 'same-site', 'cross-site, same-origin', 'CROSS-SITE', ''])(
    'A page of another origin that needs no Origin gets nothing of the gateway’s (%s).',
    async site => {
      const adapter = await open((await harness()).gateway)
      for (const target of own) {
        for (const mode of ['no-cors', 'navigate']) {
          const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode }
          const response = await adapter.request(target, { headers })
          expect(response.status, target).toBe(403)
          expect(await response.text()).toContain('origin_not_allowed')
        }
      }
      await adapter.close()
    },
  )

  test('The gateway’s own pages, the address bar, programs and pages of allowed origins are answered.', async () => {
    const adapter = await open((await harness({ allowedOrigins: ['https://app.example'] })).gateway)
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' },
    ]) {
      expect((await adapter.request('/live', { headers })).status).toBe(200)
    }
    const stranger = { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' }
    expect((await adapter.request('/live', { headers: stranger })).status).toBe(403)
    await adapter.close()
    const anywhere = await open((await harness({ allowedOrigins: ['*'] })).gateway)
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await anywhere.request('/live', { headers })).status).toBe(200)
    await anywhere.close()
  })

  test('No answer may be sniffed, or loaded by pages of other origins.', async () => {
    const adapter = await open((await harness()).gateway)
    const answers = [
      ...own.map(target => adapter.request(target)),
      adapter.request('/live', { headers: { 'sec-fetch-site': 'cross-site' } }),
      adapter.request(paths.chat, jsonPost(bodyFor('chat'))),
      adapter.request(paths.responses, jsonPost(bodyFor('responses'))),
      adapter.request(paths.messages, jsonPost(bodyFor('messages', { stream: true }))),
    ]
    for (const response of await Promise.all(answers)) {
      expect(response.headers.get('x-content-type-options'), response.url).toBe('nosniff')
      expect(response.headers.get('cross-origin-resource-policy'), response.url).toBe('same-origin')
      await response.text()
    }
    await adapter.close()
  })

  test('Two hosts are refused, even where any host is answered.', async () => {
    for (const allowedHosts of [['*'], ['localhost', '127.0.0.1']]) {
      const adapter = await open((await harness({ allowedHosts })).gateway)
      const headers = { host: 'localhost, localhost' }
      // A client library would not send this header; the fetch handler is given it as a runtime joins two.
      if (!('port' in adapter)) expect((await adapter.request('/live', { headers })).status).toBe(400)
      await adapter.close()
    }
  })
})

describe.each([[['*']], [['localhost', 'other.example']]])('hosts %o', allowedHosts => {
  test.each([
    ['twice the same', 'GET /live', ['localhost', 'localhost']],
    ['two different ones', 'GET /live', ['localhost', 'other.example']],
    ['an empty one and one', 'GET /live', ['', 'localhost']],
    ['a list in one header', 'GET /live', ['localhost, other.example']],
    ['another one in the target', 'GET http://other.example/live', ['localhost']],
    ['another port in the target', 'GET http://localhost:1/live', ['localhost']],
    ['a user in the target', 'GET http://localhost@other.example/live', ['localhost']],
    ['a user in the same host', 'GET http://x@localhost/live', ['x@localhost']],
    ['no host in the target', 'GET http:///live', ['localhost']],
  ])('A request with two hosts is refused with 400: %s.', async (_, line, hosts) => {
    const adapter = await openNodeAdapter((await harness({ allowedHosts })).gateway)
    for (const name of ['host', 'HOST']) {
      const headers = hosts.map(host => `${name}: ${host}`)
      const [answer] = await sendRaw(adapter.port, rawRequest(`${line} HTTP/1.1`, headers))
      expect(answer?.status).toBe(400)
      expect(JSON.parse(answer?.body ?? '')).toHaveProperty('error.message')
    }
    await adapter.close()
  })

  test('A target with its host is answered like one without.', async () => {
    const adapter = await openNodeAdapter((await harness({ allowedHosts })).gateway)
    for (const target of ['http://localhost/live', 'HTTP://LOCALHOST/live', 'http://localhost/live?x']) {
      const [answer] = await sendRaw(adapter.port, rawRequest(`GET ${target} HTTP/1.1`, ['host: localhost']))
      expect(answer?.status, target).toBe(200)
    }
    const answers = ['http://localhost?/live', '/?/live'].map(target =>
      sendRaw(adapter.port, rawRequest(`GET ${target} HTTP/1.1`, ['host: localhost'])),
    )
    const [withHost, without] = (await Promise.all(answers)).map(([answer]) => answer?.body)
    expect(withHost).toBe(without)
    expect(withHost).not.toContain('live')
    await adapter.close()
  })
})
