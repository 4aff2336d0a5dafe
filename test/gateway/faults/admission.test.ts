/** Who is let in: no spelling of a path, a host or a method gets around the key, and no page gets in unasked. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NodeAdapter } from '../../support/faults/adapters.ts'
import {
  adapters,
  jsonPost,
  openFetchAdapter,
  openNodeAdapter,
  rawRequest,
  sendRaw,
} from '../../support/faults/adapters.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'
import { appSource } from '../../support/house/source.ts'

const key = 'k-right-0123456789'
const withKey = `authorization: Bearer ${key}`
const body = JSON.stringify(bodyFor('responses'))
const json = 'content-type: application/json'

let setting: Harness
let adapter: NodeAdapter
beforeAll(async () => {
  const whole = await answerOf('chat')
  setting = createHarness({
    keys: ['k-other', key],
    allowedOrigins: ['https://app.example'],
    metrics: () => 'metrics\n',
    answer: asked => asked.json(200, whole),
  })
  adapter = await openNodeAdapter(setting.gateway)
})
afterAll(() => adapter.close())

const targets = [
  '/v1/responses',
  '//v1/responses',
  '/v1//responses',
  '/v1/./responses',
  '/v1/%2e/responses',
  '/v1/%2e%2e/v1/responses',
  '/live/../v1/responses',
  '/live/%2e%2e/v1/responses',
  '/live%2f..%2fv1%2fresponses',
  '/live;/../v1/responses',
  '/live?/v1/responses',
  '/live#/v1/responses',
  '/live%00/v1/responses',
  '/live/',
  '/LIVE',
  '/%6cive',
  '/V1/responses',
  '/v1/responses/',
  '/v1/responses?key=x',
  '/v1/%72esponses',
  '/responses',
  '/v1/v1/responses',
  '/v1/v1/v1/responses',
  '/\\v1\\responses',
  '/metrics',
  '/toolwire/traces',
  '/openapi.json?x',
  'http://localhost/v1/responses',
  'http://evil.example/v1/responses',
  '*',
]
const overrides = [
  'x-http-method-override: GET',
  'x-method-override: GET',
  'x-original-url: /live',
  'x-rewrite-url: /live',
  'x-forwarded-path: /live',
  'x-forwarded-host: localhost',
  'x-forwarded-for: 127.0.0.1',
]

describe('without a key', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE', 'PROPFIND'])(
    'Without a key %s gets nothing, however the path is spelled.',
    async method => {
      const before = setting.upstream.requests.length
      for (const target of targets) {
        for (const more of [[], overrides]) {
          const headers = ['host: localhost', json, ...more]
          const [answer] = await sendRaw(
            adapter.port,
            rawRequest(`${method} ${target} HTTP/1.1`, headers, body),
          )
          expect([400, 401], `${method} ${target}`).toContain(answer?.status)
        }
      }
      expect(setting.upstream.requests.length).toBe(before)
    },
  )

  test('Without a key only probes, the version and the OpenAPI document are served.', async () => {
    for (const target of ['/live', '/ready', '/version', '/openapi.json']) {
      const [answer] = await sendRaw(adapter.port, rawRequest(`GET ${target} HTTP/1.1`, ['host: localhost']))
      expect(answer?.status, target).toBe(200)
    }
  })

  test.each([
    'authorization: ',
    'authorization: Bearer',
    'authorization: Bearer ',
    `authorization: Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
    `authorization: Bearer ${key}x`,
    `authorization: Bearer ${key.slice(0, -1)}`,
    `authorization: Bearer ${key.toUpperCase()}`,
    `authorization: Bearer k-other, ${key}`,
    'x-api-key: ',
    `x-api-key: ${key}${key}`,
    `cookie: authorization=${key}`,
    `proxy-authorization: Bearer ${key}`,
  ])('A request is refused with the header %s.', async header => {
    const headers = ['host: localhost', json, header]
    const [answer] = await sendRaw(
      adapter.port,
      rawRequest(`POST ${paths.responses} HTTP/1.1`, headers, body),
    )
    expect(answer?.status).toBe(401)
    expect(answer?.body).not.toContain(key)
  })

  test('A key in the address does not count.', async () => {
    for (const name of ['key', 'api_key', 'api-key', 'token', 'access_token']) {
      const line = `POST ${paths.responses}?${name}=${key} HTTP/1.1`
      const [answer] = await sendRaw(adapter.port, rawRequest(line, ['host: localhost', json], body))
      expect(answer?.status).toBe(401)
    }
  })
})

describe('with a key', () => {
  test.each([withKey, `authorization: bearer   ${key}`, `x-api-key: ${key}`, 'x-api-key: k-other'])(
    'A request is admitted with the header %s.',
    async header => {
      const headers = ['host: localhost', json, header]
      const [answer] = await sendRaw(
        adapter.port,
        rawRequest(`POST ${paths.responses} HTTP/1.1`, headers, body),
      )
      expect(answer?.status).toBe(200)
    },
  )

  test.each(['/V1/responses', '/v1//responses', '/v1/./responses', '/live/../v1/responses', '/v1/Responses'])(
    'The path %s is not a route.',
    async target => {
      const line = `POST ${target} HTTP/1.1`
      const [answer] = await sendRaw(adapter.port, rawRequest(line, ['host: localhost', json, withKey], body))
      expect(answer?.status).toBe(404)
    },
  )

  test('A header cannot change the method.', async () => {
    const headers = ['host: localhost', json, withKey, ...overrides]
    const [answer] = await sendRaw(
      adapter.port,
      rawRequest(`POST ${paths.responses} HTTP/1.1`, headers, body),
    )
    expect(answer?.status).toBe(200)
    const [deleted] = await sendRaw(
      adapter.port,
      rawRequest('GET /v1/responses/resp_1 HTTP/1.1', [...headers, 'x-http-method-override: DELETE']),
    )
    expect(deleted?.body).toContain('not found')
  })
})

describe('a Host that is not the gateway’s', () => {
  test.each([
    'evil.example',
    'localhost.evil.example',
    'evil-localhost',
    '127.0.0.1.nip.io',
    'localhost:4000/#@x',
    'localhost:4000@evil.example',
    'localhost#evil',
    'localhost/..',
    'localhost:4000:80',
    'localhost:port',
    '[::1]evil',
    '0.0.0.0',
    '169.254.169.254',
    'localhost,evil.example',
    'localhost evil',
    '',
  ])('The foreign Host "%s" is refused, with or without a key.', async host => {
    for (const more of [[], [withKey]]) {
      for (const line of [`POST ${paths.responses}`, 'GET /live', 'GET /metrics']) {
        const headers = [`host: ${host}`, json, ...more]
        const [answer] = await sendRaw(adapter.port, rawRequest(`${line} HTTP/1.1`, headers, body))
        expect([400, 421], `${line} with ${host}`).toContain(answer?.status)
      }
    }
  })

  test('The Host of the gateway is admitted with any port and spelling.', async () => {
    for (const host of ['localhost', 'LOCALHOST:4000', 'localhost.', '127.0.0.1:1', '[::1]:4000']) {
      const [answer] = await sendRaw(adapter.port, rawRequest('GET /live HTTP/1.1', [`host: ${host}`]))
      expect(answer?.status, host).toBe(200)
    }
  })

  test('A fetch handler refuses a foreign Host too.', async () => {
    const fetchDoor = await openFetchAdapter(setting.gateway)
    const own = await fetchDoor.request('/live')
    expect(own.status).toBe(200)
    const strange = await fetchDoor.request('/live', { headers: { host: 'evil.example' } })
    expect(strange.status).toBe(421)
  })
})

describe.each(adapters)('a page, through %s', (_, open) => {
  test('A page of another origin gets nothing, and may not read the refusal.', async () => {
    const there = await open(setting.gateway)
    for (const origin of [
      'http://evil.example',
      'null',
      'https://app.example.evil.example',
      'http://app.example',
    ]) {
      for (const init of [
        jsonPost(bodyFor('chat'), { origin, 'x-api-key': key }),
        { headers: { origin, 'x-api-key': key } },
        { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } },
      ]) {
        const response = await there.request(paths.chat, init)
        expect(response.status).toBe(403)
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
      }
    }
    await there.close()
  })

  test('A page of an allowed origin may send a preflight without a key, and then its request.', async () => {
    const there = await open(setting.gateway)
    const origin = 'https://app.example'
    const preflight = await there.request(paths.chat, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
    const answer = await there.request(paths.chat, jsonPost(bodyFor('chat'), { origin, 'x-api-key': key }))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('vary')).toBe('origin')
    expect(answer.headers.get('access-control-expose-headers')).toBe('*')
    const refused = await there.request(paths.chat, jsonPost(bodyFor('chat'), { origin }))
    expect(refused.status).toBe(401)
    await there.close()
  })

  test('A page cannot send what needs no preflight: forms and plain text.', async () => {
    const there = await open(setting.gateway)
    const before = setting.upstream.requests.length
    for (const type of [
      'text/plain',
      'text/plain; x=application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      '',
    ]) {
      const headers = { 'x-api-key': key, 'content-type': type }
      const response = await there.request(paths.chat, { ...jsonPost(bodyFor('chat')), headers })
      expect(response.status, type).toBe(415)
    }
    expect(setting.upstream.requests.length).toBe(before)
    await there.close()
  })
})

test('A request to switch protocols is treated like any other request.', async () => {
  const headers = [
    'host: localhost',
    'upgrade: websocket',
    'sec-websocket-key: x',
    'sec-websocket-version: 13',
  ]
  const text = ['GET /v1/responses HTTP/1.1', ...headers, 'connection: upgrade, close', '', ''].join('\r\n')
  const [answer] = await sendRaw(adapter.port, text)
  expect(answer?.status).toBe(401)
})

describe('a body of two lengths', () => {
  const smuggled = 'GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n'
  test.each([
    ['chunked and measured', ['transfer-encoding: chunked', 'content-length: 5']],
    ['measured and chunked', ['content-length: 5', 'transfer-encoding: chunked']],
    ['measured twice', ['content-length: 5', 'content-length: 50']],
    ['measured in a list', ['content-length: 5, 50']],
    ['measured with a sign', ['content-length: +5']],
    ['of an unknown encoding', ['transfer-encoding: xchunked']],
    ['chunked, then not', ['transfer-encoding: chunked, identity']],
    ['chunked with a space before the colon', ['transfer-encoding : chunked']],
    ['chunked on a folded line', ['transfer-encoding:\r\n chunked', 'content-length: 5']],
  ])(
    'A request whose body has two lengths is refused, and nothing behind it is answered: %s.',
    async (_, lengths) => {
      const head = [`POST ${paths.responses} HTTP/1.1`, 'host: localhost', json, withKey, ...lengths]
      const answers = await sendRaw(adapter.port, `${head.join('\r\n')}\r\n\r\n0\r\n\r\n${smuggled}`)
      expect(answers.map(({ status }) => status)).toEqual([400])
      expect(answers[0]?.headers).toContain('connection: close')
      expect(JSON.parse(answers[0]?.body ?? '')).toHaveProperty('error.message')
    },
  )
})

describe('keys are compared in a time that tells nothing', () => {
  test('Keys are compared by their hashes, all of them, in constant time.', () => {
    const guard = appSource.find(({ path }) => path.endsWith('gateway/http/guard.ts'))?.text ?? ''
    expect(guard).toContain("createHash('sha256')")
    expect(guard).toMatch(
      /for \(const expected of digests\) known = timingSafeEqual\(expected, given\) \|\| known/,
    )
    expect(guard).not.toMatch(
      /keys\.(includes|indexOf|has|find|some)|[!=]== ?key\b|\bkey [!=]== (?!undefined|'')/,
    )
  })

  test('An empty key in the settings admits nobody.', async () => {
    const { gateway } = createHarness({ keys: [''] })
    for (const headers of [{}, { 'x-api-key': '' }, { authorization: 'Bearer ' }, { 'x-api-key': 'x' }]) {
      const client = sendTo(gateway, '/v1/models', { headers })
      await client.done
      expect(client.status).toBe(401)
    }
  })

  test('Every key of the list is admitted.', async () => {
    const keys = Array.from({ length: 20 }, () => randomBytes(16).toString('hex'))
    const { gateway } = createHarness({ keys })
    for (const one of keys) {
      const client = sendTo(gateway, '/v1/responses/resp_1', { headers: { 'x-api-key': one } })
      await client.done
      expect(client.status).toBe(404)
    }
  })
})
