/** Names and values meant to do harm: to objects of ours, to headers, and to where requests are sent. */
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import {
  adapters,
  jsonPost,
  openNodeAdapter,
  rawRequest,
  sendRaw,
  startUpstream,
} from '../../support/faults/adapters.ts'
import { createManualClock, startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { createFakeUpstream } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, errorIn, paths, wires } from '../../support/faults/wires.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()

const evilNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__']

/** An object that really has such a key, as `JSON.parse` makes it. */
const holding = (name: string, value: string): string => `{${JSON.stringify(name)}:${value}}`

describe.each(evilNames)('the name %s', name => {
  const evil = holding(name, '{"polluted":"yes"}')

  test.each(wires)(
    'A name of the prototype is harmless anywhere in a request of the %s wire.',
    async wire => {
      const whole = await answerOf('chat')
      const { gateway, upstream } = createHarness({
        store: createMemoryStore({ now: () => startOfTime }),
        answer: asked => asked.json(200, whole),
        losses: 'allow',
      })
      const base = JSON.stringify(bodyFor(wire)).slice(1, -1)
      const call = { type: 'function_call', call_id: name, name, arguments: evil }
      const bodies = [
        `{${base},${JSON.stringify(name)}:{"polluted":"yes"}}`,
        `{${base},"metadata":${evil}}`,
        `{${base},"tools":[${evil}]}`,
        JSON.stringify(
          bodyFor(wire, { tools: [{ type: 'function', name, input_schema: {}, function: { name } }] }),
        ),
        JSON.stringify(bodyFor(wire, { tools: [{ type: name, name }] })),
        JSON.stringify(
          bodyFor(wire, { messages: [{ role: name, content: 'x' }], input: [{ type: name }, call] }),
        ),
        JSON.stringify(bodyFor(wire, { tool_choice: name })),
        `{"__proto__":{"model":"m"},${base}}`,
      ]
      for (const body of bodies) {
        const client = sendTo(gateway, paths[wire], { body })
        await client.done
        expect([200, 400], `${body}\n${client.text}`).toContain(client.status)
        if (client.status === 400) expect(errorIn(wire, client.json())).toMatch(/\w/)
      }
      expect(upstream.requests.length).toBeGreaterThan(0)
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    },
  )

  test('A name of the prototype is treated as any model, id, path or header.', async () => {
    const whole = await answerOf('chat')
    const { transport, requests } = createFakeUpstream(one => one.json(200, whole))
    const gateway = createGateway({
      upstreams: [
        {
          name: 'a',
          wire: 'chat',
          baseUrl: 'http://a.test',
          transport,
          models: ['m'],
          rename: { m: 'real' },
        },
      ],
      store: createMemoryStore({ now: () => startOfTime }),
      clock: createManualClock(),
    })
    const model = sendTo(gateway, paths.chat, { body: bodyFor('chat', { model: name }) })
    const targets = [
      `/${name}`,
      `/v1/${name}`,
      `/v1/models/${name}`,
      `/v1/responses/${name}`,
      `/v1/conversations/${name}`,
      `/v1/conversations/${name}/items/${name}`,
      `/v1/responses/${name}?${name}=x&order=${name}`,
    ].map(target => sendTo(gateway, target, { headers: { [name]: 'x', 'anthropic-version': name } }))
    const known = sendTo(gateway, paths.chat, { body: bodyFor('chat'), headers: { [name]: 'x' } })
    await Promise.all([model, ...targets, known].map(({ done }) => done))
    expect([model, ...targets].map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 404))
    expect(known.status).toBe(200)
    expect(requests[0]?.body.model).toBe('real')
    expect(Object.keys(requests[0]?.request.headers ?? {})).not.toContain(name)
  })

  test('An item with a name of the prototype as its type gets an id of its own.', async () => {
    const store = createMemoryStore({ now: () => startOfTime })
    const { gateway } = createHarness({ store })
    const items = [{ type: name, content: 'x' }]
    const made = sendTo(gateway, '/v1/conversations', { body: { items } })
    await made.done
    const list = sendTo(gateway, `/v1/conversations/${made.json().id}/items`)
    await list.done
    const [item] = list.json().data as { id: string }[]
    expect(item?.id).toMatch(/^item_[a-z0-9]{32}$/)
  })

  test('A name of the prototype in an answer of the upstream is data.', async () => {
    const whole = JSON.stringify(await answerOf('chat'))
    const { gateway, upstream } = createHarness()
    for (const wire of wires) {
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
      ;(await upstream.next()).json(200, `${whole.slice(0, -1)},${JSON.stringify(name)}:{"polluted":"yes"}}`)
      await client.done
      expect(client.status).toBe(200)
      const failed = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
      ;(await upstream.next()).json(400, `{"error":${evil}}`)
      await failed.done
      expect(failed.status).toBe(400)
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

test('What is stored comes back as the data that it was, whatever revivers its tags are meant for.', async () => {
  const store = createMemoryStore({ now: () => startOfTime })
  const { gateway, upstream } = createHarness({ store })
  const tagged = {
    lc: '1',
    type: 'constructor',
    id: '["langchain","Secret"]',
    $type: 'Date',
    __class__: 'os.system',
    $ref: '#/metadata',
  }
  const sent = sendTo(gateway, paths.responses, {
    body: bodyFor('responses', { metadata: tagged, input: JSON.stringify(tagged) }),
  })
  ;(await upstream.next()).json(200, await answerOf('chat', { text: JSON.stringify(tagged) }))
  await sent.done
  const { id } = sent.json()
  const found = sendTo(gateway, `${paths.responses}/${id}`)
  const input = sendTo(gateway, `${paths.responses}/${id}/input_items`)
  await Promise.all([found.done, input.done])
  expect(found.json()).toEqual(sent.json())
  expect(found.json().metadata).toEqual(tagged)
  expect(input.text).toContain(JSON.stringify(JSON.stringify(tagged)))
})

describe('a value that would break a header', () => {
  const breaks = ['a\r\nx-injected: yes', 'a\nb', 'a\rb', 'a\0b', 'ä\u{1f327}']

  test.each(wires)('Line breaks from a %s client stay in its body.', async wire => {
    const upstream = await startUpstream((request, response) => {
      expect(request.rawHeaders.join('\n').toLowerCase()).not.toContain('injected')
      void answerOf('chat').then(whole => {
        request.resume()
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
      })
    })
    const gateway = createGateway({ upstreams: [{ name: 'up', wire: 'chat', baseUrl: upstream.baseUrl }] })
    const adapter = await openNodeAdapter(gateway)
    closing.push(
      () => adapter.close(),
      () => gateway.close(),
      () => upstream.close(),
    )
    for (const value of breaks) {
      for (const more of [
        { model: value },
        { user: value, metadata: { a: value }, safety_identifier: value },
      ]) {
        const response = await adapter.request(paths[wire], jsonPost(bodyFor(wire, more)))
        expect([200, 400]).toContain(response.status)
        expect(response.headers.get('x-injected')).toBeNull()
      }
      const lost = await adapter.request(`/v1/responses/${encodeURIComponent(value)}`)
      expect([400, 404]).toContain(lost.status)
      expect(lost.headers.get('x-injected')).toBeNull()
    }
  })

  test('Line breaks from a client never reach an upstream in a header.', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{}'))
    const gateway = createGateway({
      upstreams: [{ name: 'up', wire: 'messages', baseUrl: upstream.baseUrl, forwardKey: true, retries: 0 }],
    })
    closing.push(
      () => gateway.close(),
      () => upstream.close(),
    )
    for (const value of breaks.slice(0, 4)) {
      for (const name of ['anthropic-version', 'anthropic-beta', 'x-api-key']) {
        const client = sendTo(gateway, paths.messages, {
          body: bodyFor('messages'),
          headers: { [name]: value },
        })
        await client.done
        expect(client.status).toBeGreaterThanOrEqual(400)
        expect(errorIn('messages', client.json())).toMatch(/\w/)
      }
    }
  })

  test('The server refuses headers with line breaks.', async () => {
    const { gateway, upstream } = createHarness()
    const adapter = await openNodeAdapter(gateway)
    closing.push(() => adapter.close())
    for (const value of ['a\rb', 'a\0b', 'a\n x: y\n\n']) {
      const headers = ['host: localhost', 'content-type: application/json', `anthropic-beta: ${value}`]
      const [answer] = await sendRaw(
        adapter.port,
        rawRequest(`POST ${paths.messages} HTTP/1.1`, headers, '{}'),
      )
      expect(answer?.status).toBe(400)
    }
    expect(upstream.requests.length).toBe(0)
  })

  test('Only those headers of a client are passed on that the upstream needs.', async () => {
    const { gateway, upstream } = createHarness({ wire: 'messages' })
    const headers = {
      connection: 'keep-alive, x-hop',
      'keep-alive': 'timeout=5',
      'proxy-connection': 'keep-alive',
      te: 'trailers',
      trailer: 'x',
      upgrade: 'h2c',
      'x-hop': '1',
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      authorization: 'Bearer for-the-gateway',
      'x-api-key': 'for-the-gateway',
      cookie: 'a=b',
      referer: 'http://page.example',
      'user-agent': 'client',
      'anthropic-beta': 'tools-1',
    }
    const client = sendTo(gateway, paths.messages, { body: bodyFor('messages'), headers })
    const asked = await upstream.next()
    expect(asked.request.headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'toolwire',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'tools-1',
    })
    asked.json(200, await answerOf('messages'), {
      'set-cookie': 'a=b',
      connection: 'close',
      'transfer-encoding': 'chunked',
      'access-control-allow-origin': '*',
      server: 'secret-version',
    })
    await client.done
    for (const name of [
      'set-cookie',
      'connection',
      'transfer-encoding',
      'access-control-allow-origin',
      'server',
    ]) {
      expect(client.headers[name], name).toBeUndefined()
    }
  })
})

describe('where requests go is for the settings to say', () => {
  const elsewhere = [
    'http://169.254.169.254/latest',
    'http://127.1:1/',
    'http://0x7f.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost./',
    'file:///etc/passwd',
  ]
  const names = [
    'base_url',
    'baseURL',
    'api_base',
    'api_url',
    'endpoint',
    'host',
    'url',
    'custom_host',
    'proxy',
  ]
  const headerNames = [
    'x-base-url',
    'x-portkey-custom-host',
    'x-target-url',
    'helicone-target-url',
    'x-upstream',
    'x-forwarded-host',
    'x-host',
    'x-proxy-url',
  ]

  test.each(wires)(
    'A %s client cannot choose the address of the upstream in its body, its headers or its query.',
    async wire => {
      const whole = await answerOf('chat')
      const { gateway, upstream } = createHarness({
        losses: 'allow',
        answer: asked => asked.json(200, whole),
      })
      for (const url of elsewhere) {
        const inBody = Object.fromEntries(names.map(name => [name, url]))
        const body = bodyFor(wire, { ...inBody, extra_body: inBody, api_key: 'x' })
        const headers = Object.fromEntries(headerNames.map(name => [name, url]))
        const query = names.map(name => `${name}=${encodeURIComponent(url)}`).join('&')
        const client = sendTo(gateway, `${paths[wire]}?${query}`, { body, headers })
        await client.done
        expect([200, 400]).toContain(client.status)
        const model = sendTo(gateway, paths[wire], { body: bodyFor(wire, { model: url }) })
        await model.done
      }
      expect(upstream.requests.length).toBeGreaterThan(0)
      for (const { request } of upstream.requests) {
        expect(request.url).toBe('http://up.test/v1/chat/completions')
        expect(JSON.stringify(request.headers)).not.toContain('169.254')
      }
    },
  )

  test('Addresses of images and files are passed on, never fetched.', async () => {
    let fetched = 0
    const page = await startUpstream((_request, response) => {
      fetched++
      response.end()
    })
    closing.push(() => page.close())
    const { gateway, upstream } = createHarness()
    const content = [{ type: 'image_url', image_url: { url: `${page.baseUrl}/image.png` } }]
    const client = sendTo(gateway, paths.chat, {
      body: bodyFor('chat', { messages: [{ role: 'user', content }] }),
    })
    const asked = await upstream.next()
    expect(JSON.stringify(asked.body)).toContain(`${page.baseUrl}/image.png`)
    asked.json(200, await answerOf('chat'))
    await client.done
    expect(fetched).toBe(0)
  })

  test.each(adapters)('Redirects of an upstream are not followed through %s.', async (_, open) => {
    const seen: string[] = []
    const upstream = await startUpstream((request, response) => {
      request.resume()
      seen.push(request.url ?? '')
      const status = Number(/\d{3}/.exec(JSON.stringify(request.headers['anthropic-beta'] ?? '302'))?.[0])
      response.writeHead(status, { location: '/v1/elsewhere', 'content-type': 'application/json' })
      response.end('{"id":"x","type":"message","content":[]}')
    })
    const gateway = createGateway({
      upstreams: [{ name: 'up', wire: 'messages', baseUrl: upstream.baseUrl }],
    })
    const adapter = await open(gateway)
    closing.push(
      () => adapter.close(),
      () => gateway.close(),
      () => upstream.close(),
    )
    for (const status of [301, 302, 303, 307, 308]) {
      for (const wire of wires) {
        for (const stream of [false, true]) {
          const init = jsonPost(bodyFor(wire, { stream }), { 'anthropic-beta': String(status) })
          const response = await adapter.request(paths[wire], { ...init, redirect: 'manual' })
          expect(response.status).toBe(502)
          expect(response.headers.get('location')).toBeNull()
          expect(errorIn(wire, await response.json())).toContain('redirect')
        }
      }
    }
    expect(new Set(seen)).toEqual(new Set(['/v1/messages']))
    expect(seen.length).toBe(30)
  })
})
