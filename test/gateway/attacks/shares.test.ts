/** Many keys on one gateway: none takes what the others need, and each is refused in its own wire's format. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, errorIn, paths, wires } from '../../support/faults/wires.ts'

const keys = ['key-of-ann', 'key-of-bob']
const [ann = '', bob = ''] = keys
const as = (key: string): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` })

const post = (
  { gateway }: Pick<Harness, 'gateway'>,
  key: string,
  wire: Wire = 'chat',
  more: object = {},
): ReceivedAnswer => sendTo(gateway, paths[wire], { body: bodyFor(wire, more), headers: as(key) })

function expectRefusal(answer: ReceivedAnswer, wire: Wire, status: number): void {
  expect(answer.status).toBe(status)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(errorIn(wire, answer.json())).toMatch(/\w/)
}

describe('requests in flight', () => {
  test.each(wires)('A key beyond its limit gets 429 on the %s wire; others are served.', async wire => {
    const setting = createHarness({ keys, limits: { keyExchanges: 2 } })
    const held = [post(setting, bob), post(setting, bob)]
    const pending = [await setting.upstream.next(), await setting.upstream.next()]
    const refused = post(setting, bob, wire)
    await refused.done
    expectRefusal(refused, wire, 429)
    const served = post(setting, ann)
    pending.push(await setting.upstream.next())
    for (const asked of pending) asked.json(200, await answerOf('chat'))
    await Promise.all([...held, served].map(({ done }) => done))
    expect(served.status).toBe(200)
    const again = post(setting, bob)
    ;(await setting.upstream.next()).json(200, await answerOf('chat'))
    await again.done
    expect(again.status).toBe(200)
  })

  test.each(wires)(
    'Beyond the limit of all and the queue, a %s request gets 503 before its body is read.',
    async wire => {
      const setting = createHarness({ limits: { exchanges: 1, queue: 0 } })
      const held = post(setting, '')
      await setting.clock.settle()
      let isRead = false
      const refused = sendTo(setting.gateway, paths[wire], {
        body: {
          toJSON: () => {
            isRead = true
            return bodyFor(wire)
          },
        },
      })
      await refused.done
      expectRefusal(refused, wire, 503)
      expect(isRead).toBe(false)
      for (const target of ['/live', '/ready', '/version']) {
        const probe = sendTo(setting.gateway, target)
        await probe.done
        expect(probe.status, target).toBe(200)
      }
      held.disconnect()
      await held.done
    },
  )

  test('By default one of several keys has half of the places, and one key alone has all.', async () => {
    const count = async (known: readonly string[]): Promise<number> => {
      const setting = createHarness({ keys: known, limits: { exchanges: 10, queue: 0 } })
      const sent = Array.from({ length: 12 }, () => post(setting, bob))
      await setting.clock.settle()
      for (const { disconnect } of sent) disconnect()
      return setting.upstream.requests.length
    }
    expect(await count(keys)).toBe(5)
    expect(await count([bob])).toBe(10)
  })
})

describe('background responses', () => {
  test('A key that has taken its places gets 429, and another key still gets one.', async () => {
    const limits = { background: 4, keyBackground: 2 }
    const setting = createHarness({ keys, limits, store: createMemoryStore() })
    const start = (key: string): ReceivedAnswer => post(setting, key, 'responses', { background: true })
    const taken = [start(bob), start(bob)]
    await Promise.all(taken.map(({ done }) => done))
    expect(taken.map(({ status }) => status)).toEqual([200, 200])
    const refused = start(bob)
    await refused.done
    expectRefusal(refused, 'responses', 429)
    const other = start(ann)
    await other.done
    expect(other.status).toBe(200)
    await setting.gateway.close()
  })
})

test('A key whose requests fail spends its own retries, not those of another key.', async () => {
  const setting = createHarness({ keys, answer: asked => asked.json(500, {}) })
  const attempts = async (key: string): Promise<number> => {
    const before = setting.upstream.requests.length
    const sent = post(setting, key)
    for (let i = 0; i < 10 && !sent.isEnded; i++) await setting.clock.advance(20_000)
    await sent.done
    return setting.upstream.requests.length - before
  }
  for (let i = 0; i < 20; i++) await attempts(bob)
  expect(await attempts(bob)).toBe(1)
  expect(await attempts(ann)).toBe(3)
})

describe('memory', () => {
  const store = createMemoryStore({ now: () => startOfTime })
  const long = 'x'.repeat(300_000)

  test('Every route that loads stored text refuses where there is no memory for it, and gives all back.', async () => {
    const roomy = createHarness({ store, answer: async asked => asked.json(200, await answerOf('chat')) })
    const item = { type: 'message', id: 'msg_long', role: 'user', content: long }
    const made = post(roomy, '', 'responses', { input: [item] })
    await made.done
    const created = sendTo(roomy.gateway, '/v1/conversations', { body: { items: [item] } })
    await created.done
    const response = made.json().id
    const conversation = created.json().id
    const tight = createHarness({ store, limits: { memoryBytes: 1024 * 1024 } })
    const body = { model: 'm', input: 'Go on.' }
    const reads: readonly (readonly [string, object?])[] = [
      ['/v1/responses', { ...body, previous_response_id: response }],
      ['/v1/responses', { ...body, conversation }],
      ['/v1/responses', { ...body, input: [{ type: 'item_reference', id: 'msg_long' }] }],
      [`/v1/responses/${response}/input_items`],
      [`/v1/conversations/${conversation}/items`],
      [`/v1/conversations/${conversation}/items/msg_long`],
    ]
    for (const [target, sent] of reads) {
      const refused = sendTo(tight.gateway, target, sent === undefined ? {} : { body: sent })
      await refused.done
      expect([refused.status, refused.json()], target).toMatchObject([
        413,
        { error: { code: 'history_too_large' } },
      ])
    }
    const small = post(tight, '')
    ;(await tight.upstream.next()).json(200, await answerOf('chat'))
    await small.done
    expect(small.status).toBe(200)
  })

  test.each(wires)(
    'A %s request without memory for its body gets 503 and is served when there is some.',
    async wire => {
      const setting = createHarness({ limits: { memoryBytes: 2_500_000 } })
      const large = post(setting, '', 'messages', { system: long })
      await setting.clock.settle()
      const refused = post(setting, '', wire, { user: long })
      await refused.done
      expectRefusal(refused, wire, 503)
      ;(await setting.upstream.next()).json(200, await answerOf('chat'))
      await large.done
      const served = post(setting, '', wire, { user: long })
      ;(await setting.upstream.next()).json(200, await answerOf('chat'))
      await served.done
      expect(served.status).toBe(200)
    },
  )
})
