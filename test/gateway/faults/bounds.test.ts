/** What strangers can make the gateway keep, count or start: little, whatever they send. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRoutes } from '../../../packages/toolwire/src/gateway/routes/all-routes.ts'
import { registerWires } from '../../../packages/toolwire/src/gateway/wires.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { combineObservers } from '../../../packages/toolwire/src/telemetry/combine-observers.ts'
import { createMetrics } from '../../../packages/toolwire/src/telemetry/metrics.ts'
import type { ExchangeFacts, Observer } from '../../../packages/toolwire/src/telemetry/observer.ts'
import { noopObserver } from '../../../packages/toolwire/src/telemetry/observer.ts'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { createFailingStore } from '../../support/faults/store.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'
import { appSource } from '../../support/house/source.ts'

const routes = allRoutes(registerWires().values())

test('Five thousand wrong keys reach neither store nor upstream, and leave nothing behind.', async () => {
  const metrics = createMetrics()
  const traces = createTraceRing()
  const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
  const { gateway, upstream, clock } = createHarness({
    keys: ['right'],
    store,
    traces,
    metrics: metrics.text,
    observer: combineObservers(metrics.observer, traces),
  })
  let series = 0
  for (let i = 0; i < 5000; i++) {
    const client = sendTo(gateway, paths.responses, {
      body: '{}',
      headers: { authorization: `Bearer ${randomBytes(8).toString('hex')}` },
    })
    await client.done
    if (client.status !== 401) throw new Error(`Key ${i} was answered with ${client.status}.`)
    if (i === 100) series = metrics.text().split('\n').length
  }
  expect(upstream.requests.length).toBe(0)
  expect(store.calls).toEqual([])
  expect(gateway.active).toBe(0)
  expect(clock.timers).toBe(0)
  expect(metrics.text().split('\n').length).toBe(series)
  expect(traces.list(100_000).length).toBeLessThanOrEqual(20)
  expect(traces.bytes).toBeLessThan(1024 * 1024)
})

test('Hundreds of models, paths, methods, hosts, tools and errors make few series of metrics.', async () => {
  const metrics = createMetrics()
  const whole = await answerOf('chat')
  let code = 0
  const { gateway, clock } = createHarness({
    observer: combineObservers(metrics.observer),
    metrics: metrics.text,
    upstream: { retries: 0 },
    losses: 'allow',
    answer(asked) {
      if (code++ % 2 === 0) asked.json(200, whole)
      else
        asked.json(400 + (code % 100), {
          error: { message: 'x', code: `code_${code}`, type: `type_${code}` },
        })
    },
  })
  const random = (): string => randomBytes(6).toString('hex')
  for (let i = 0; i < 500; i++) {
    const name = random()
    const tools = [{ type: 'function', function: { name, parameters: {} } }]
    const clients = [
      sendTo(gateway, paths.chat, { body: bodyFor('chat', { model: name, tools }) }),
      sendTo(gateway, `/v1/responses/${name}`),
      sendTo(gateway, `/${name}`, { method: name.toUpperCase() }),
      sendTo(gateway, `/v1/models?x=${name}`, { headers: { host: `${name}.example` } }),
      sendTo(gateway, paths.messages, { body: `{"model":"${name}"` }),
    ]
    await clock.settle()
    await Promise.all(clients.map(({ done }) => done))
  }
  const lines = metrics.text().split('\n')
  expect(lines.length).toBeLessThan(600)
  expect(lines.find(line => line.startsWith('toolwire_requests_in_flight '))).toBe(
    'toolwire_requests_in_flight 0',
  )
  const total = lines
    .filter(line => line.startsWith('toolwire_requests_total{'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  expect(total).toBe(2500)
})

test('The memory of calls that the gateway ran is bounded, and separate for each owner.', async () => {
  const { createServerCallMemory } = await import(
    '../../../packages/toolwire/src/gateway/server-tools/server-call-memory.ts'
  )
  const turn = (i: number): object => ({ callIds: [`call_${i}`], rounds: ['x'.repeat(i === 0 ? 5000 : 50)] })
  // A hundred of the size of the later ones, in letters: one that is long takes the place of many.
  const hidden = createServerCallMemory(100 * JSON.stringify(turn(999)).length)
  for (let i = 0; i < 1000; i++) {
    hidden.add(i % 2 === 0 ? 'ann' : 'bob', turn(i) as never)
    if (i === 50) expect(hidden.find('ann', 'call_0')).toBeUndefined()
  }
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter(
    i => hidden.find('ann', `call_${i}`) ?? hidden.find('bob', `call_${i}`),
  )
  expect(kept).toEqual(Array.from({ length: 100 }, (_, i) => 900 + i))
  expect(hidden.find('bob', 'call_998')).toBeUndefined()
  expect(hidden.find('ann', 'call_998')).toBeDefined()
})

test('The gateway has no routes but those in the list.', () => {
  expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toMatchInlineSnapshot(`
    [
      "DELETE /toolwire/session",
      "DELETE /v1/conversations/{id}",
      "DELETE /v1/conversations/{id}/items/{item}",
      "DELETE /v1/responses/{id}",
      "GET /",
      "GET /live",
      "GET /metrics",
      "GET /openapi.json",
      "GET /ready",
      "GET /toolwire/feed",
      "GET /toolwire/inspector.css",
      "GET /toolwire/inspector.js",
      "GET /toolwire/inspector.svg",
      "GET /toolwire/models",
      "GET /toolwire/status",
      "GET /toolwire/traces",
      "GET /toolwire/traces/{id}",
      "GET /toolwire/traces/{id}/reading",
      "GET /toolwire/usage",
      "GET /v1/conversations/{id}",
      "GET /v1/conversations/{id}/items",
      "GET /v1/conversations/{id}/items/{item}",
      "GET /v1/models",
      "GET /v1/models/{model}",
      "GET /v1/responses",
      "GET /v1/responses/{id}",
      "GET /v1/responses/{id}/input_items",
      "GET /version",
      "POST /toolwire/diff",
      "POST /toolwire/read",
      "POST /toolwire/session",
      "POST /toolwire/tools/{name}",
      "POST /v1/chat/completions",
      "POST /v1/conversations",
      "POST /v1/conversations/{id}",
      "POST /v1/conversations/{id}/items",
      "POST /v1/messages",
      "POST /v1/messages/count_tokens",
      "POST /v1/responses",
      "POST /v1/responses/compact",
      "POST /v1/responses/input_tokens",
      "POST /v1/responses/{id}/cancel",
    ]
  `)
  expect(routes.filter(({ open }) => open).map(({ path }) => path)).toEqual([
    '/',
    '/live',
    '/ready',
    '/version',
    '/openapi.json',
    '/toolwire/inspector.js',
    '/toolwire/inspector.css',
    '/toolwire/inspector.svg',
    // To sign in, and out.
    '/toolwire/session',
    '/toolwire/session',
  ])
})

test('Nothing that serves a request can start a process, or open a file whose name it was given.', () => {
  const rooms = /packages\/toolwire\/src\/(gateway|reading|telemetry|demo)\//
  const serving = appSource.filter(({ path }) => rooms.test(path))
  const importers = (name: string): string[] =>
    serving
      .filter(({ text }) => text.includes(`'node:${name}`))
      .map(({ path }) => path.split('/src/')[1] ?? '')
  expect(serving.length).toBeGreaterThan(100)
  expect(importers('child_process')).toEqual([])
  // It looks whether the code of its threads has been compiled.
  expect(importers('fs')).toEqual(['gateway/workers/pool.ts'])
})

test('What an answer held may be noted later, but no long request is kept until then.', async () => {
  const { usage } = (await answerOf('chat')) as { usage: { prompt_tokens: number } }
  const facts: ExchangeFacts[] = []
  const works: (() => void)[] = []
  const observer: Observer = {
    begin(begun) {
      facts.push(begun)
      return { ...noopObserver.begin(begun), isNoop: false, later: work => void works.push(work) }
    },
  }
  const { gateway, clock } = createHarness({
    observer,
    answer: async asked => asked.json(200, await answerOf('chat')),
  })
  for (const content of ['Hello', 'x'.repeat(1_000_000)]) {
    const client = sendTo(gateway, paths.chat, {
      body: bodyFor('chat', { messages: [{ role: 'user', content }] }),
    })
    await clock.settle()
    await client.done
  }
  const inputs = (): unknown[] => facts.map(each => each.usage?.input)
  expect([works.length, inputs()]).toEqual([1, [undefined, usage.prompt_tokens]])
  for (const work of works) work()
  expect(inputs()).toEqual([usage.prompt_tokens, usage.prompt_tokens])
})
