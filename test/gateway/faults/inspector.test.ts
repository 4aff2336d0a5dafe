/** The page at `/`: who gets it, who may sign in, and what a session opens. */
import { describe, expect, test } from 'vitest'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import {
  jsonPost,
  type NodeAdapter,
  openNodeAdapter,
  rawRequest,
  sendRaw,
} from '../../support/faults/adapters.ts'
import { createHarness, type Harness, type HarnessOptions } from '../../support/faults/harness.ts'
import { answerOf, bodyFor } from '../../support/faults/wires.ts'

const files: { readonly [name: string]: string } = {
  'index.html': '<!doctype html>',
  'inspector.js': 'void 0',
}
const inspector = {
  readFile: (name: string) => (files[name] === undefined ? undefined : Buffer.from(files[name])),
}
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

async function open(
  options: HarnessOptions = {},
): Promise<Harness & { adapter: NodeAdapter; origin: string }> {
  const whole = await answerOf('chat')
  const traces = createTraceRing()
  const harness = createHarness({
    inspector,
    traces,
    observer: traces,
    answer: asked => asked.json(200, whole),
    ...options,
  })
  const adapter = await openNodeAdapter(harness.gateway)
  return { ...harness, adapter, origin: `http://127.0.0.1:${adapter.port}` }
}

const keys = { keys: ['key-of-ann', 'key-of-bob'], operatorKeys: ['key-of-op'] }

/** What a browser sends back of `set-cookie`. */
const cookieOf = (response: Response): string => response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''

describe('the page', () => {
  test('A browser gets the page under a policy without inline script, and a program the JSON that was always there.', async () => {
    const { adapter } = await open()
    const page = await adapter.request('/', { headers: browser })
    expect(await page.text()).toBe('<!doctype html>')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toContain('unsafe')
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      expect(await (await adapter.request('/', { headers })).json()).toMatchObject({ name: 'toolwire' })
    }
    expect((await adapter.request('/', { method: 'HEAD' })).status).toBe(200)
    const script = await adapter.request('/toolwire/inspector.js')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const again = await adapter.request('/toolwire/inspector.js', {
      headers: { 'if-none-match': script.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
    await adapter.close()
  })

  test('A gateway without an inspector serves no page, no file and no session.', async () => {
    const { gateway } = createHarness({ answer: asked => asked.json(200, {}) })
    const adapter = await openNodeAdapter(gateway)
    expect(await (await adapter.request('/', { headers: browser })).json()).toMatchObject({
      name: 'toolwire',
    })
    for (const response of [
      await adapter.request('/toolwire/inspector.js'),
      await adapter.request('/toolwire/session', jsonPost({ key: 'x' })),
    ]) {
      expect(response.status).toBe(404)
      expect(await response.text()).toContain('no_inspector')
    }
    await adapter.close()
  })

  test('Another Host gets neither the page nor a file of it.', async () => {
    const { adapter } = await open()
    for (const target of ['/', '/toolwire/inspector.js', '/toolwire/feed']) {
      const headers = ['host: evil.test', 'accept: text/html']
      const [answer] = await sendRaw(adapter.port, rawRequest(`GET ${target} HTTP/1.1`, headers))
      expect(answer?.status).toBe(421)
    }
    await adapter.close()
  })
})

describe('a session', () => {
  test('A key opens a session in a cookie that no script reads, and the cookie opens the traces of that key.', async () => {
    const { adapter, origin } = await open(keys)
    const ask = (key: string) =>
      adapter.request('/v1/chat/completions', jsonPost(bodyFor('chat'), { authorization: `Bearer ${key}` }))
    await ask('key-of-ann')
    await ask('key-of-bob')
    await ask('key-of-bob')
    expect((await adapter.request('/toolwire/traces')).status).toBe(401)
    expect((await adapter.request('/toolwire/session', jsonPost({ key: 'wrong' }, { origin }))).status).toBe(
      401,
    )
    const counts: number[] = []
    for (const key of ['key-of-ann', 'key-of-bob', 'key-of-op']) {
      const signedIn = await adapter.request('/toolwire/session', jsonPost({ key }, { origin }))
      expect(signedIn.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict/)
      expect(signedIn.headers.get('set-cookie')).not.toContain(key)
      const list = await adapter.request('/toolwire/traces', { headers: { cookie: cookieOf(signedIn) } })
      counts.push(((await list.json()) as { data: unknown[] }).data.length)
    }
    // The operator sees the request without a key too.
    expect(counts).toEqual([1, 2, 4])
    await adapter.close()
  })

  test('Whoever signs in without a key can reserve no memory.', async () => {
    const { adapter, origin } = await open(keys)
    const long = await adapter.request('/toolwire/session', jsonPost({ key: 'x'.repeat(5000) }, { origin }))
    expect(long.status).toBe(413)
    await adapter.close()
  })

  test('A trace with too many values is shown raw, and one that is sent is refused.', async () => {
    const input = Array.from({ length: 30_000 }, () => ({}))
    const { adapter } = await open({ limits: { bodyBytes: 1_000_000 } })
    await adapter.request('/v1/chat/completions', jsonPost({ ...bodyFor('chat'), metadata: { input } }))
    const { data } = (await (await adapter.request('/toolwire/traces')).json()) as { data: { id: string }[] }
    const read = await adapter.request(`/toolwire/traces/${data[0]?.id}/reading`)
    expect(read.status).toBe(200)
    const { trace, reading } = (await read.json()) as {
      trace: { views: object }
      reading: {
        request: object
        conversation: { unread: string[] }
        timeline: { steps: { who: string; what: string }[] }
      }
    }
    expect(Object.keys(trace.views)).toContain('client-request')
    expect(reading.request).toEqual({ pairs: [] })
    expect(reading.conversation.unread).toEqual(['client-request', 'client-answer'])
    expect(reading.timeline.steps.map(({ who, what }) => `${who} ${what}`)).toContain('upstream answer')
    expect((await adapter.request('/toolwire/read', jsonPost({ trace }))).status).toBe(413)
    await adapter.close()
  })

  test('A session sends requests only from the page itself, and ends when it is signed out of.', async () => {
    const { adapter, origin } = await open(keys)
    const cookie = cookieOf(
      await adapter.request('/toolwire/session', jsonPost({ key: 'key-of-ann' }, { origin })),
    )
    const ask = (headers: Record<string, string>) =>
      adapter.request('/v1/chat/completions', jsonPost(bodyFor('chat'), { cookie, ...headers }))
    expect((await ask({ origin })).status).toBe(200)
    expect((await ask({})).status).toBe(401)
    expect((await ask({ origin: 'http://127.0.0.1:1' })).status).toBe(403)
    expect((await ask({ origin: 'http://evil.test' })).status).toBe(403)
    await adapter.request('/toolwire/session', { method: 'DELETE', headers: { cookie, origin } })
    expect((await ask({ origin })).status).toBe(401)
    await adapter.close()
  })

  test('A session lasts half a day, and no longer than its key.', async () => {
    const { adapter, origin, clock, gateway } = await open(keys)
    const signIn = async (key: string) =>
      cookieOf(await adapter.request('/toolwire/session', jsonPost({ key }, { origin })))
    const status = async (cookie: string) =>
      (await adapter.request('/toolwire/traces', { headers: { cookie } })).status
    const [ann, bob] = [await signIn('key-of-ann'), await signIn('key-of-bob')]
    gateway.update({
      upstreams: [{ name: 'up', wire: 'chat', baseUrl: 'http://up.test/v1' }],
      keys: ['key-of-bob'],
    })
    expect([await status(ann), await status(bob)]).toEqual([401, 200])
    clock.advance(12 * 3_600_000 + 1)
    expect(await status(bob)).toBe(401)
    await adapter.close()
  })

  test('The code of a link signs in once.', async () => {
    const { adapter, origin, gateway } = await open(keys)
    const code = gateway.signInCode('key-of-ann')
    expect(gateway.signInCode('nobody')).toBeUndefined()
    const use = () => adapter.request('/toolwire/session', jsonPost({ code }, { origin }))
    expect((await use()).status).toBe(200)
    expect((await use()).status).toBe(401)
    await adapter.close()
  })

  test('Where any Host is answered without a key, no page may send, whatever it calls itself.', async () => {
    const { adapter } = await open({ allowedHosts: ['*'] })
    const headers = ['host: rebound.test', 'origin: http://rebound.test', 'content-type: application/json']
    const [answer] = await sendRaw(
      adapter.port,
      rawRequest('POST /v1/chat/completions HTTP/1.1', headers, '{}'),
    )
    expect(answer?.status).toBe(403)
    await adapter.close()
  })
})

describe('the feed', () => {
  test('The feed tells of exchanges as they end, to each key of its own, and ends when the gateway stops.', async () => {
    const { adapter, clock, gateway } = await open(keys)
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
    const feed = await adapter.request('/toolwire/feed', { headers: bearer('key-of-ann') })
    expect(feed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    for (const key of ['key-of-bob', 'key-of-ann']) {
      await adapter.request('/v1/chat/completions', jsonPost(bodyFor('chat'), bearer(key)))
    }
    const text = feed.text()
    clock.advance(250)
    await new Promise(resolve => setImmediate(resolve))
    const drained = gateway.drain(1000)
    clock.advance(250)
    await drained
    const events = (await text).split('\n\n').filter(event => event !== '')
    expect(events[0]).toMatch(/^event: hello\n/)
    const told = events
      .slice(1)
      .flatMap(event => JSON.parse(event.split('data: ')[1] ?? '[]') as { state: string }[])
    expect(told).toHaveLength(1)
    expect(told[0]?.state).toBe('ended')
    await adapter.close()
  })

  test('A key may look with fifty feeds and no more, whatever others do.', async () => {
    const { adapter, gateway, clock } = await open(keys)
    const look = (key: string) =>
      adapter.request('/toolwire/feed', { headers: { authorization: `Bearer ${key}` } })
    const feeds: Response[] = []
    for (let count = 0; count < 50; count++) feeds.push(await look('key-of-ann'))
    expect(new Set(feeds.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await look('key-of-ann')
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('too_many_feeds')
    feeds.push(await look('key-of-bob'))
    expect(feeds.at(-1)?.status).toBe(200)
    const drained = gateway.drain(1000)
    clock.advance(250)
    await drained
    await Promise.all(feeds.map(feed => feed.text()))
    await adapter.close()
  })
})

describe('settings that change', () => {
  test('The page and its sessions are gone as soon as there may be none.', async () => {
    let isOpen = true
    const { adapter, gateway, origin } = await open({
      keys: ['key-of-ann'],
      inspector: { ...inspector, isOpen: () => isOpen },
    })
    const signedIn = await adapter.request('/toolwire/session', jsonPost({ key: 'key-of-ann' }, { origin }))
    const headers = { cookie: cookieOf(signedIn) }
    expect((await adapter.request('/toolwire/traces', { headers })).status).toBe(200)
    isOpen = false
    gateway.update({
      upstreams: [{ name: 'up', wire: 'chat', baseUrl: 'http://up.test/v1' }],
      keys: ['key-of-ann'],
    })
    expect((await adapter.request('/toolwire/inspector.js')).status).toBe(404)
    expect((await adapter.request('/toolwire/traces', { headers })).status).toBe(401)
    await adapter.close()
  })
})
