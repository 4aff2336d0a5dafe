/** Keys of operators, apart from clients' keys: what each of them opens, and what it does not. */
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import type { Adapter } from '../../support/faults/adapters.ts'
import { adapters, jsonPost } from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'

const ann = 'ann-key-0123456789'
const bob = 'bob-key-0123456789'
const operator = 'operator-key-0123456789'

type Send = (key: string | undefined, target: string, init?: RequestInit) => Promise<Response>

async function open(
  openAdapter: (typeof adapters)[number][1],
  keys: readonly string[],
  operatorKeys: readonly string[],
): Promise<{ readonly adapter: Adapter; readonly send: Send }> {
  const traces = createTraceRing()
  const whole = await answerOf('chat')
  const { gateway } = createHarness({
    keys,
    operatorKeys,
    traces,
    observer: traces,
    metrics: () => 'metrics\n',
    inspector: { readFile: () => undefined, about: () => 'the configuration' },
    store: createMemoryStore({ now: () => startOfTime }),
    answer: asked => asked.json(200, whole),
  })
  const adapter = await openAdapter(gateway)
  const send: Send = (key, target, init = {}) =>
    adapter.request(target, {
      ...init,
      headers: { ...(init.headers as object), ...(key !== undefined && { 'x-api-key': key }) },
    })
  return { adapter, send }
}

const post = jsonPost(bodyFor('chat'))

async function listed(send: Send, key: string | undefined): Promise<string[]> {
  const response = await send(key, '/toolwire/traces')
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
}

describe.each(adapters)('through %s', (_, openAdapter) => {
  test('An operator sees the metrics and everybody’s traces; a client sees its own traces only.', async () => {
    const { adapter, send } = await open(openAdapter, [ann, bob], [operator])
    const ids: string[] = []
    for (const key of [ann, bob]) {
      const answer = await send(key, paths.chat, post)
      ids.push(answer.headers.get('x-request-id') ?? '')
      await answer.text()
    }
    expect((await listed(send, operator)).sort()).toEqual([...ids].sort())
    expect(await listed(send, ann)).toEqual([ids[0]])
    expect(await listed(send, bob)).toEqual([ids[1]])
    expect((await send(ann, `/toolwire/traces/${ids[1]}`)).status).toBe(404)
    expect((await send(operator, `/toolwire/traces/${ids[1]}`)).status).toBe(200)
    expect((await send(operator, '/metrics')).status).toBe(200)
    const refused = await send(ann, '/metrics')
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('operators_only')])
    expect((await send(undefined, '/metrics')).status).toBe(401)
    expect((await send('no-such-key', '/metrics')).status).toBe(401)
    await adapter.close()
  })

  test('The configuration is shown to operators; without any, to the only client.', async () => {
    for (const [keys, operators, key, isShown] of [
      [[ann], [operator], ann, false],
      [[ann], [operator], operator, true],
      [[ann, bob], [], ann, false],
      [[ann], [], ann, true],
      [[], [], ann, true],
    ] as const) {
      const { adapter, send } = await open(openAdapter, keys, operators)
      const status = (await (await send(key, '/toolwire/status')).json()) as { about?: string }
      expect(status.about, String([keys, operators])).toBe(isShown ? 'the configuration' : undefined)
      await adapter.close()
    }
  })

  test.each([[[ann]], [[]]])(
    'The key of an operator opens nothing of clients’, whose keys are %o.',
    async keys => {
      const { adapter, send } = await open(openAdapter, keys, [operator])
      for (const [target, init] of [
        [paths.chat, post],
        [paths.responses, jsonPost(bodyFor('responses'))],
        ['/v1/responses/resp_1', {}],
        ['/v1/conversations', jsonPost({})],
        ['/v1/models', {}],
      ] as const) {
        const response = await send(operator, target, init)
        expect(response.status, target).toBe(403)
        expect(await response.text()).toContain('operator_key')
      }
      for (const target of ['/live', '/ready', '/version', '/openapi.json']) {
        for (const key of [operator, undefined]) expect((await send(key, target)).status, target).toBe(200)
      }
      await adapter.close()
    },
  )

  test('Where clients need no key, only operators see traces and metrics.', async () => {
    const { adapter, send } = await open(openAdapter, [], [operator])
    expect((await send(undefined, paths.chat, post)).status).toBe(200)
    for (const key of [undefined, 'any-key']) {
      expect((await send(key, '/toolwire/traces')).status).toBe(403)
      expect((await send(key, '/metrics')).status).toBe(403)
    }
    expect(await listed(send, operator)).toHaveLength(1)
    await adapter.close()
  })

  test('Without an operator’s key, clients see the metrics and their own traces.', async () => {
    const { adapter, send } = await open(openAdapter, [ann, bob], [])
    await (await send(ann, paths.chat, post)).text()
    expect((await send(bob, '/metrics')).status).toBe(200)
    expect(await listed(send, bob)).toEqual([])
    expect(await listed(send, ann)).toHaveLength(1)
    await adapter.close()
  })
})

test('A key cannot be a client’s and an operator’s, and an empty one is nobody’s.', async () => {
  const upstreams = [{ name: 'up', wire: 'chat', baseUrl: 'http://up.test/v1' }]
  expect(() => createGateway({ upstreams, keys: [ann, bob], operatorKeys: [operator, bob] })).toThrow(
    'operatorKeys[1] is also one of "keys"',
  )
  const [, [, openFetch] = []] = adapters
  if (openFetch === undefined) throw new Error('There is an adapter.')
  const { send } = await open(openFetch, [ann], [''])
  for (const key of [undefined, '', ' ']) expect((await send(key, '/metrics')).status).toBe(401)
})
