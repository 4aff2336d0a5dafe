/** Keys and prompts: canaries are put in every place that has any, and looked for in everything that comes out. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tracer } from '@opentelemetry/api'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GatewayOptions } from '../../../packages/toolwire/src/gateway/settings.ts'
import { openSqliteStore } from '../../../packages/toolwire/src/store/sqlite-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { combineObservers } from '../../../packages/toolwire/src/telemetry/combine-observers.ts'
import { createLogger } from '../../../packages/toolwire/src/telemetry/logger.ts'
import { createMetrics } from '../../../packages/toolwire/src/telemetry/metrics.ts'
import { createSpans } from '../../../packages/toolwire/src/telemetry/spans.ts'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer, RequestOptions } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn, wires } from '../../support/faults/wires.ts'

/** No prefix by which anybody could know it for a key. */
const canary = (): string => `canary${randomBytes(12).toString('hex')}`

let folder: string
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-secrets-'))
  store = await openSqliteStore({ path: join(folder, 'store.db'), now: () => startOfTime })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** All the bytes of the store, the log of what was written included. */
function bytesAtRest(): string {
  return readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'latin1'))
    .join('\n')
}

interface Watched {
  readonly options: Pick<GatewayOptions, 'observer' | 'metrics' | 'traces'>
  /** Whatever the watchers have told. */
  told(): string
}

async function watch(secrets: readonly string[]): Promise<Watched> {
  const lines: string[] = []
  const write = (line: string): void => void lines.push(line)
  const metrics = createMetrics()
  const traces = createTraceRing({ secrets })
  const spans: unknown[] = []
  const tracer = {
    startSpan(...given: unknown[]) {
      spans.push(given)
      return { setStatus: () => {}, end: () => {}, setAttribute: () => {}, spanContext: () => ({}) }
    },
  } as unknown as Tracer
  const observer = combineObservers(
    createLogger({ write, format: 'json', level: 'debug' }),
    createLogger({ write, format: 'pretty', level: 'debug' }),
    metrics.observer,
    traces,
    await createSpans({ tracer }),
  )
  return {
    options: { observer, metrics: metrics.text, traces },
    told: () => [...lines, metrics.text(), JSON.stringify(spans)].join('\n'),
  }
}

/** An upstream that says all it was told, as some do in their errors. */
function echo(asked: PendingRequest, status: number): void {
  const { headers, url } = asked.request
  asked.json(status, {
    error: { message: `Incorrect key: ${JSON.stringify(headers)} at ${url}`, code: 'invalid_api_key' },
  })
}

test('Keys appear nowhere: not in logs, metrics, spans, traces, errors, headers or the store.', async () => {
  const keys = {
    gateway: canary(),
    upstream: canary(),
    header: canary(),
    cookie: canary(),
    proxy: canary(),
    query: canary(),
    password: canary(),
    wrong: canary(),
    environment: canary(),
  }
  process.env.OPENAI_API_KEY = keys.environment
  const whole = await answerOf('chat')
  const frames = (await framesOf('chat', textTurn)).join('')
  const watched = await watch([keys.gateway, keys.upstream, keys.header])
  let mode: 'good' | 'refuses' | 'fails' = 'good'
  const { gateway, upstream, clock } = createHarness({
    ...watched.options,
    keys: [keys.gateway],
    store,
    heartbeatMs: 0,
    upstream: {
      apiKey: keys.upstream,
      headers: { 'x-vendor-secret': keys.header },
      baseUrl: `http://user:${keys.password}@up.test/v1`,
    },
    answer(asked) {
      if (mode === 'refuses') echo(asked, 401)
      else if (mode === 'fails') asked.fail(new Error('getaddrinfo ENOTFOUND up.test'))
      else if (asked.body.stream === true) asked.stream().data(frames).end()
      else asked.json(200, whole)
    },
  })
  const answers: ReceivedAnswer[] = []
  const ask = async (target: string, options: RequestOptions = {}): Promise<ReceivedAnswer> => {
    const headers = {
      authorization: `Bearer ${keys.gateway}`,
      cookie: `session=${keys.cookie}`,
      'proxy-authorization': `Basic ${keys.proxy}`,
      'x-api-key': keys.gateway,
      ...options.headers,
    }
    const client = sendTo(gateway, target, { ...options, headers })
    await clock.advance(60_000)
    await client.done
    answers.push(client)
    return client
  }
  for (mode of ['good', 'refuses', 'fails'] as const) {
    for (const wire of wires) {
      for (const stream of [false, true]) {
        const { status } = await ask(`${paths[wire]}?key=${keys.query}`, { body: bodyFor(wire, { stream }) })
        expect(status).toBe({ good: 200, refuses: 401, fails: 502 }[mode])
      }
      const wrong = { authorization: `Bearer ${keys.wrong}`, 'x-api-key': keys.wrong }
      expect((await ask(paths[wire], { body: bodyFor(wire), headers: wrong })).status).toBe(401)
      await ask(paths[wire], { body: '{"broken":' })
    }
  }
  mode = 'good'
  await ask(`/v1/unknown?api_key=${keys.query}`)
  await ask('/v1/models')
  for (const target of ['/live', '/ready', '/version', '/openapi.json', '/metrics']) {
    expect((await ask(target)).status, target).toBe(200)
  }
  const list = await ask('/toolwire/traces?limit=1000')
  const { data } = list.json() as unknown as { data: { id: string }[] }
  expect(data.length).toBeGreaterThan(20)
  for (const { id } of data) expect((await ask(`/toolwire/traces/${id}`)).status).toBe(200)

  const outputs: Record<string, string> = {
    watchers: watched.told(),
    store: bytesAtRest(),
    answers: answers.map(({ text }) => text).join('\n'),
    headers: answers.map(({ headers }) => JSON.stringify(headers)).join('\n'),
  }
  // That there is something to look at.
  expect(outputs.watchers).toContain('upstream_401')
  expect(outputs.store).toContain('Hello')
  expect(outputs.answers).toContain('Incorrect key')
  for (const [place, text] of Object.entries(outputs)) {
    for (const [name, secret] of Object.entries(keys)) {
      expect(text.includes(secret), `the ${name} key in ${place}`).toBe(false)
      const encoded = Buffer.from(secret).toString('base64').slice(0, 20)
      expect(text.includes(encoded), `the ${name} key in ${place}, encoded`).toBe(false)
    }
  }
  // The upstream is given its own key and nothing else of the kind.
  for (const { request } of upstream.requests) {
    const given = JSON.stringify([request.headers, String(request.body)])
    expect(given).toContain(keys.upstream)
    for (const name of ['gateway', 'cookie', 'proxy', 'query', 'environment'] as const) {
      expect(given.includes(keys[name]), name).toBe(false)
    }
  }
  process.env.OPENAI_API_KEY = undefined
  delete process.env.OPENAI_API_KEY
})

test('A forwarded key goes to the upstream and nowhere else.', async () => {
  const own = canary()
  const watched = await watch([])
  const { gateway, upstream, clock } = createHarness({
    ...watched.options,
    upstream: { forwardKey: true },
    store,
  })
  for (const status of [200, 401]) {
    const client = sendTo(gateway, paths.responses, {
      body: bodyFor('responses'),
      headers: { authorization: `Bearer ${own}` },
    })
    const asked = await upstream.next()
    expect(asked.request.headers.authorization).toBe(`Bearer ${own}`)
    if (status === 200) asked.json(200, await answerOf('chat'))
    else echo(asked, 401)
    await clock.settle()
    await client.done
    expect(client.status).toBe(status)
    expect(client.text).not.toContain(own)
  }
  expect(watched.told()).not.toContain(own)
  expect(bytesAtRest()).not.toContain(own)
})

describe('what is not to be stored', () => {
  const say = async (body: object, said: string): Promise<ReceivedAnswer> => {
    const { gateway } = createHarness({ store, answer: asked => asked.json(200, answerOf(said)) })
    const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', body) })
    await client.done
    expect(client.status).toBe(200)
    return client
  }
  const answerOf = (content: string): object => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  })

  test('With "store": false neither request nor answer is ever on disk.', async () => {
    const [question, answer, kept] = [canary(), canary(), canary()]
    const client = await say({ store: false, input: question, metadata: { note: question } }, answer)
    expect(client.text).toContain(answer)
    await say({ input: kept }, 'Yes.')
    const bytes = bytesAtRest()
    expect(bytes).toContain(kept)
    expect(bytes).not.toContain(question)
    expect(bytes).not.toContain(answer)
  })

  test('Requests on the other wires are never on disk.', async () => {
    const question = canary()
    const { gateway } = createHarness({ store, answer: asked => asked.json(200, answerOf(question)) })
    for (const wire of ['chat', 'messages'] as const) {
      const messages = [{ role: 'user', content: question }]
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { messages }) })
      await client.done
      expect(client.status).toBe(200)
    }
    expect(bytesAtRest()).not.toContain(question)
  })

  test('A refused request is not on disk.', async () => {
    const question = canary()
    const { gateway } = createHarness({
      store,
      upstream: { retries: 0 },
      answer: asked => asked.json(400, { error: { message: 'No.' } }),
    })
    const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { input: question }) })
    await client.done
    expect(client.status).toBe(400)
    expect(bytesAtRest()).not.toContain(question)
  })
})
