/** Failures of the gateway's own: the log says what happened and where, and the client learns neither. */
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Transport } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { toStoreError } from '../../../packages/toolwire/src/store/sqlite-database.ts'
import { combineObservers } from '../../../packages/toolwire/src/telemetry/combine-observers.ts'
import { createLogger } from '../../../packages/toolwire/src/telemetry/logger.ts'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { adapters, jsonPost } from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { bodyFor, errorIn, paths, wires } from '../../support/faults/wires.ts'

const key = 'sk-abcdefghijklmnopqrstuvwxyz'

function brokenTransport(): ReturnType<Transport> {
  throw new TypeError(`Nobody should hear of room 12, nor of ${key}.`, {
    cause: new Error('The roof leaks.'),
  })
}

function watch(format: 'json' | 'pretty'): {
  observer: ReturnType<typeof combineObservers>
  log: string[]
  traces: ReturnType<typeof createTraceRing>
} {
  const log: string[] = []
  const traces = createTraceRing()
  const logger = createLogger({ write: line => void log.push(line), format })
  return { observer: combineObservers(logger, traces), log, traces }
}

describe.each(wires)('a fault inside while a %s client waits', wire => {
  test.each([false, true])(
    'An internal failure is in the log with its place in the code, and nowhere else (stream: %s).',
    async stream => {
      const { observer, log, traces } = watch('json')
      const { gateway } = createHarness({ observer, traces, upstream: { transport: brokenTransport } })
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream }) })
      await client.done
      expect(client.status).toBe(500)
      expect(errorIn(wire, client.json())).toContain('Its log says why')
      const seen = sendTo(gateway, `/toolwire/traces/${client.headers['x-request-id']}`)
      await seen.done
      expect(seen.status).toBe(200)
      for (const told of [client.text, seen.text, JSON.stringify(client.headers)]) {
        expect(told).not.toMatch(/room 12|inside-failures|roof/)
      }
      const line = JSON.parse(log[0] ?? '') as Record<string, unknown>
      expect(line).toMatchObject({ level: 'error', status: 500, failure: 'internal_error' })
      expect(line.internal).toMatch(
        /^TypeError: Nobody should hear of room 12[^\n]*\n\s+at .*inside-failures/,
      )
      expect(line.internal).toContain('caused by: Error: The roof leaks.')
      expect(line.internal).not.toContain(key)
    },
  )
})

test('On a terminal every line of an internal failure stands below its request.', async () => {
  const { observer, log } = watch('pretty')
  const { gateway } = createHarness({ observer, upstream: { transport: brokenTransport } })
  await sendTo(gateway, paths.chat, { body: bodyFor('chat') }).done
  const lines = log.join('').split('\n')
  expect(lines.find(line => line.includes('room 12'))).toMatch(/^ {10}TypeError: /)
  expect(lines.filter(line => /^ {14}at /.test(line)).length).toBeGreaterThan(1)
})

test('An internal failure in the background is in the log too.', async () => {
  const { observer, log } = watch('json')
  const store = createMemoryStore({ now: () => startOfTime })
  const { gateway, clock } = createHarness({ observer, store, upstream: { transport: brokenTransport } })
  const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { background: true }) })
  await client.done
  await clock.settle()
  const stored = sendTo(gateway, `${paths.responses}/${client.json().id}`)
  await stored.done
  expect(stored.json()).toMatchObject({ status: 'failed', error: { code: 'internal_error' } })
  expect(stored.text).not.toContain('room 12')
  expect(log.filter(line => line.includes('room 12'))).toHaveLength(1)
})

test('A failure of the store is reported without paths of the machine.', async () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
  const store = createMemoryStore()
  store.check = () => Promise.reject(toStoreError(full, '/home/ann/responses.db'))
  const { observer, log } = watch('json')
  const { gateway } = createHarness({ store, observer })
  const ready = sendTo(gateway, '/ready')
  const client = sendTo(gateway, paths.responses, { body: bodyFor('responses') })
  await Promise.all([ready.done, client.done])
  expect([ready.status, client.status]).toEqual([503, 503])
  for (const { text } of [ready, client]) {
    expect(text).toContain('the disk is full')
    expect(text).not.toContain('/home/ann')
  }
  expect(log.join('')).toContain('/home/ann/responses.db')
})

describe('when not even the failure can be told', () => {
  test.each(adapters)(
    'When not even the failure can be sent through %s, the connection breaks, and other requests go on.',
    async (_, open) => {
      let isBroken = true
      const gateway = createGateway({
        upstreams: [{ name: 'up', wire: 'chat', baseUrl: 'http://up.test/v1' }],
        newId(prefix) {
          if (isBroken) throw new Error('No more numbers.')
          return `${prefix}1`
        },
      })
      const adapter = await open(gateway)
      const asked = adapter.request(paths.chat, jsonPost(bodyFor('chat'))).then(
        ({ status }) => status,
        () => 'cut',
      )
      expect(['cut', 500]).toContain(await asked)
      isBroken = false
      expect((await adapter.request('/live')).status).toBe(200)
      await gateway.close()
      expect(gateway.active).toBe(0)
      await adapter.close()
    },
  )
})
