/** Two keys on one gateway: to each of them, what the other has does not exist. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { openSqliteStore } from '../../../packages/toolwire/src/store/sqlite-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import type { Adapter } from '../../support/faults/adapters.ts'
import { adapters, jsonPost } from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'

const ann = 'ann-key-0123456789'
const bob = 'bob-key-0123456789'

interface Told {
  readonly status: number
  readonly text: string
}

async function tell(
  adapter: Adapter,
  key: string,
  method: string,
  target: string,
  body?: object,
): Promise<Told> {
  const headers = { 'x-api-key': key }
  const init = body === undefined ? { method, headers } : { ...jsonPost(body, headers), method }
  const response = await adapter.request(target, init)
  return { status: response.status, text: await response.text() }
}

/** What Ann has: ids of every kind. */
interface Belongings {
  readonly response: string
  readonly background: string
  readonly conversation: string
  readonly item: string
  readonly output: string
}

async function settleIn({ upstream }: Harness, adapter: Adapter): Promise<Belongings> {
  const create = (body: object): Promise<Told> =>
    tell(adapter, ann, 'POST', paths.responses, bodyFor('responses', body))
  const answered = create({})
  ;(await upstream.next()).json(200, await answerOf('chat'))
  const response = JSON.parse((await answered).text) as { id: string; output: { id: string }[] }
  const background = JSON.parse((await create({ background: true })).text) as { id: string }
  await upstream.next()
  const items = [{ type: 'message', role: 'user', content: 'A secret of Ann’s' }]
  const made = await tell(adapter, ann, 'POST', '/v1/conversations', { items })
  const { id: conversation } = JSON.parse(made.text) as { id: string }
  const list = await tell(adapter, ann, 'GET', `/v1/conversations/${conversation}/items`)
  const item = (JSON.parse(list.text) as { data: { id: string }[] }).data[0]?.id ?? ''
  return {
    response: response.id,
    background: background.id,
    conversation,
    item,
    output: response.output[0]?.id ?? '',
  }
}

type Attempt = readonly [name: string, method: string, target: string, body?: object]

function attempts({ response, background, conversation, item, output }: Belongings): Attempt[] {
  const ask = (more: object): object => bodyFor('responses', more)
  const ofResponse = (id: string): Attempt[] => [
    ['get', 'GET', `/v1/responses/${id}`],
    ['get as a stream', 'GET', `/v1/responses/${id}?stream=false&starting_after=0`],
    ['input', 'GET', `/v1/responses/${id}/input_items`],
    ['cancel', 'POST', `/v1/responses/${id}/cancel`],
    ['delete', 'DELETE', `/v1/responses/${id}`],
    ['continue', 'POST', paths.responses, ask({ previous_response_id: id })],
    ['continue as a stream', 'POST', paths.responses, ask({ previous_response_id: id, stream: true })],
    ['continue unkept', 'POST', paths.responses, ask({ previous_response_id: id, store: false })],
  ]
  return [
    ...ofResponse(response),
    ...ofResponse(background),
    ['conversation', 'GET', `/v1/conversations/${conversation}`],
    ['change conversation', 'POST', `/v1/conversations/${conversation}`, { metadata: { a: 'b' } }],
    ['delete conversation', 'DELETE', `/v1/conversations/${conversation}`],
    ['items', 'GET', `/v1/conversations/${conversation}/items`],
    [
      'add items',
      'POST',
      `/v1/conversations/${conversation}/items`,
      { items: [{ role: 'user', content: 'x' }] },
    ],
    ['item', 'GET', `/v1/conversations/${conversation}/items/${item}`],
    ['delete item', 'DELETE', `/v1/conversations/${conversation}/items/${item}`],
    ['join conversation', 'POST', paths.responses, ask({ conversation })],
    ['join conversation object', 'POST', paths.responses, ask({ conversation: { id: conversation } })],
    ['refer to item', 'POST', paths.responses, ask({ input: [{ type: 'item_reference', id: item }] })],
    ['refer to output', 'POST', paths.responses, ask({ input: [{ type: 'item_reference', id: output }] })],
  ]
}

const unknown: Belongings = {
  response: 'resp_unknown',
  background: 'resp_nobodys',
  conversation: 'conv_unknown',
  item: 'msg_unknown',
  output: 'msg_nobodys',
}

/** The answer without the ids and the number of the request, which are all that may differ. */
function withoutIds({ status, text }: Told, has: Belongings): Told {
  return { status, text: Object.values(has).reduce((rest, id: string) => rest.replaceAll(id, 'ID'), text) }
}

const stores: readonly (readonly [string, (folder: string) => Promise<Store>])[] = [
  ['in memory', async () => createMemoryStore({ now: () => startOfTime })],
  ['in a file', folder => openSqliteStore({ path: join(folder, 'store.db'), now: () => startOfTime })],
]

describe.each(adapters)('through %s', (_, open) => {
  test.each(stores)(
    'The data of another key looks as unknown as data that does not exist (%s).',
    async (_name, createStore) => {
      const folder = mkdtempSync(join(tmpdir(), 'toolwire-owners-'))
      const store = await createStore(folder)
      const setting = createHarness({ keys: [ann, bob], store })
      const adapter = await open(setting.gateway)
      const has = await settleIn(setting, adapter)
      expect(new Set(Object.values(has)).size).toBe(5)
      const before = setting.upstream.requests.length
      const foreign = attempts(has)
      for (const [i, [name, method, target, body]] of attempts(unknown).entries()) {
        const [, foreignMethod, foreignTarget, foreignBody] = foreign[i] ?? []
        const nobody = await tell(adapter, bob, method, target, body)
        const other = await tell(adapter, bob, foreignMethod ?? '', foreignTarget ?? '', foreignBody)
        expect([400, 404], name).toContain(other.status)
        expect(withoutIds(other, has), name).toEqual(withoutIds(nobody, unknown))
        expect(other.text).not.toContain('secret')
        if (name.startsWith('continue')) expect(other.text).toContain('previous_response_not_found')
        else if (!name.startsWith('refer')) expect(other.status, name).toBe(404)
        const stranger = await tell(adapter, 'no-key', foreignMethod ?? '', foreignTarget ?? '', foreignBody)
        expect(stranger.status).toBe(401)
      }
      expect(setting.upstream.requests.length).toBe(before)
      // Nothing of it has touched what Ann has.
      expect((await tell(adapter, ann, 'GET', `/v1/responses/${has.response}`)).status).toBe(200)
      const running = await tell(adapter, ann, 'GET', `/v1/responses/${has.background}`)
      expect(running.text).toMatch(/"status":"(queued|in_progress)"/)
      const items = await tell(adapter, ann, 'GET', `/v1/conversations/${has.conversation}/items`)
      expect((JSON.parse(items.text) as { data: unknown[] }).data.length).toBe(1)
      const continued = tell(
        adapter,
        ann,
        'POST',
        paths.responses,
        bodyFor('responses', { previous_response_id: has.response }),
      )
      ;(await setting.upstream.next()).json(200, await answerOf('chat'))
      expect((await continued).status).toBe(200)
      await setting.gateway.close()
      await adapter.close()
      await store.close()
      rmSync(folder, { recursive: true })
    },
  )
})

test('The ids of the upstream are not ids of the gateway.', async () => {
  const store = createMemoryStore({ now: () => startOfTime })
  const setting = createHarness({ keys: [ann, bob], store })
  const adapter = await (adapters[1]?.[1] ?? adapters[0]?.[1])?.(setting.gateway)
  if (adapter === undefined) throw new Error('There is an adapter.')
  const ids = new Set<string>()
  for (let i = 0; i < 5; i++) {
    const answered = tell(adapter, ann, 'POST', paths.responses, bodyFor('responses'))
    // The same id every time, as small servers do.
    ;(await setting.upstream.next()).json(200, { ...(await answerOf('chat')), id: 'chatcmpl-1' })
    const { id } = JSON.parse((await answered).text) as { id: string }
    expect(id).toMatch(/^resp_[a-z0-9]{32}$/)
    ids.add(id)
  }
  expect(ids.size).toBe(5)
})

test('A key sees its own traces only.', async () => {
  const traces = createTraceRing()
  const setting = createHarness({ keys: [ann, bob], traces, observer: traces })
  const [, [, open] = []] = adapters
  const adapter = await open?.(setting.gateway)
  if (adapter === undefined) throw new Error('There is an adapter.')
  const answered = tell(adapter, ann, 'POST', paths.chat, bodyFor('chat'))
  ;(await setting.upstream.next()).json(200, await answerOf('chat'))
  await answered
  const own = JSON.parse((await tell(adapter, ann, 'GET', '/toolwire/traces')).text) as {
    data: { id: string }[]
  }
  expect(own.data.length).toBe(1)
  const other = JSON.parse((await tell(adapter, bob, 'GET', '/toolwire/traces')).text) as { data: unknown[] }
  expect(other.data).toEqual([])
  expect((await tell(adapter, bob, 'GET', `/toolwire/traces/${own.data[0]?.id}`)).status).toBe(404)
  expect((await tell(adapter, ann, 'GET', `/toolwire/traces/${own.data[0]?.id}`)).status).toBe(200)
})
