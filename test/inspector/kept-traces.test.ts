/** Traces that outlive a gateway, in the embedded store, read through a gateway that was started later. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSqliteStore } from '../../packages/toolwire/src/store/open-sqlite-store.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { KeptTraces } from '../../packages/toolwire/src/telemetry/traces/kept-traces.ts'
import { createTraceRing } from '../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { ask, type Served, serveInspector } from './stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-kept-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keys = ['key-of-ann', 'key-of-bob']
const bounds = { entries: 3, bytes: 1_000_000 }

/** A gateway with a ring and a store of its own, as after a start. */
async function start(): Promise<{ served: Served; kept: KeptTraces; store: Store }> {
  const store = await openSqliteStore({ path: join(folder, 'store.sqlite') })
  const ring = createTraceRing()
  const kept = new KeptTraces(ring, store, bounds)
  return { store, kept, served: await serveInspector({ keys, store, observer: ring, traces: kept }) }
}

const as = (key = ''): Record<string, string> => ({ authorization: `Bearer ${key}` })

async function read(url: string, path: string, key?: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/toolwire/traces${path}`, { headers: as(key) })
  return { status: response.status, text: await response.text() }
}

test('Kept traces survive a restart, are their owners’ only, and the oldest make room.', async () => {
  const [ann = '', bob = ''] = keys
  const first = await start()
  const say = (url: string, text: string, key: string, more = {}) =>
    ask(url, '/v1/responses', { model: 'demo', input: text, ...more }, as(key))
  await say(first.served.url, 'The first of four', ann)
  const secret = await say(first.served.url, 'The words of Bob', bob)
  const before = await say(first.served.url, 'The words of Ann', ann)
  await say(first.served.url, 'The last of four', ann)
  await first.kept.close()
  await first.served.close()
  await first.store.close()

  const { served, kept, store } = await start()
  const list = await read(served.url, '', ann)
  expect(list.text).toContain('The words of Ann')
  expect(list.text).not.toContain('The words of Bob')
  expect(list.text).not.toContain('The first of four')
  expect((await read(served.url, `/${secret}`, ann)).status).toBe(404)
  expect((await read(served.url, `/${secret}`, bob)).text).toContain('The words of Bob')
  const { text } = await read(served.url, `/${before}`, ann)
  // A request to the gateway of today continues what was said to that of yesterday.
  const { response_id: previous } = (JSON.parse(text) as { summary: { response_id: string } }).summary
  const next = await say(served.url, 'Go on', ann, { previous_response_id: previous })
  const reading = await read(served.url, `/${next}/reading`, ann)
  expect(JSON.stringify(JSON.parse(reading.text).reading.conversation.before)).toContain('The words of Ann')
  expect((JSON.parse((await read(served.url, '', ann)).text) as { data: unknown[] }).data).toHaveLength(3)
  await kept.close()
  await served.close()
  await store.close()
})
