/** Several gateways on one store: whichever is asked can answer, and one that dies is not waited for. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { SharedStoreOptions } from '../../../packages/toolwire/src/store/shared/shared-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { createManualClock } from '../../support/faults/clock.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { FakeUpstream } from '../../support/faults/upstream.ts'
import { createFakeUpstream } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn } from '../../support/faults/wires.ts'
import { postgresPlaces, redisPlaces, sqlitePlaces } from '../../support/servers/shared-places.ts'

const kinds = [await sqlitePlaces(), await redisPlaces(), await postgresPlaces()]
afterAll(() => Promise.all(kinds.map(({ server }) => server?.stop())))

interface Member {
  readonly gateway: Gateway
  readonly upstream: FakeUpstream
  readonly store: Store
}

function member(store: Store): Member {
  const upstream = createFakeUpstream()
  const { transport } = upstream
  const upstreams = [{ name: 'up', wire: 'chat', baseUrl: 'http://up.test/v1', transport }]
  return { store, upstream, gateway: createGateway({ upstreams, store, heartbeatMs: 0 }) }
}

const streamed = bodyFor('responses', { background: true, stream: true })
const idIn = (text: string): string => /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? ''
const numbersIn = (text: string): number[] =>
  [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number))

interface Ended {
  readonly response: {
    readonly status: string
    readonly output: readonly { readonly type: string; readonly content?: readonly { text: string }[] }[]
  }
}

/** The last event that has the response. */
function endIn(text: string): Ended {
  const [, json = '{}'] = [...text.matchAll(/^data: (\{.*"response":.*\})$/gm)].at(-1) ?? []
  return JSON.parse(json)
}

const deltasIn = (text: string): string =>
  [...text.matchAll(/^data: (\{"type":"response.output_text.delta".*\})$/gm)]
    .map(([, json = '{}']) => JSON.parse(json).delta)
    .join('')

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20)
}

describe.each(kinds)('on $name', ({ name, server, open, spoil }) => {
  const isHere = test.skipIf(server === undefined)
  /** A file has locks that end with the process: `test/gateway/faults/shared-store.test.ts`. */
  const hasLeases = test.skipIf(server === undefined || name === 'SQLite')

  async function pair(
    act: (one: Member, other: Member, place: string) => Promise<void>,
    options: readonly SharedStoreOptions[] = [{}, { leaseMs: 400 }],
  ): Promise<void> {
    const place = `p${randomUUID()}`
    const members = [member(await open(place, options[0])), member(await open(place, options[1]))] as const
    try {
      await act(...members, place)
    } finally {
      await Promise.all(members.map(({ store }) => store.close()))
    }
  }

  isHere('A streamed background response is heard elsewhere as it comes, and from any event on.', () =>
    pair(async (one, other) => {
      const client = sendTo(one.gateway, paths.responses, { body: streamed })
      const asked = await one.upstream.next()
      const stream = asked.stream()
      await until(() => idIn(client.text) !== '')
      const path = `/v1/responses/${idIn(client.text)}?stream=true`
      let early = sendTo(other.gateway, path)
      // The first events are there after at most 50 milliseconds.
      await until(() => {
        if (early.status === 400 && early.isEnded) early = sendTo(other.gateway, path)
        return early.text !== '' && early.status === 200
      })
      for (const frame of await framesOf('chat', textTurn)) stream.data(frame)
      stream.end()
      await client.done
      await early.done
      expect(early.text).toBe(client.text)
      const rest = sendTo(other.gateway, `${path}&starting_after=2`)
      await rest.done
      expect(numbersIn(rest.text)[0]).toBe(3)
      expect(client.text.endsWith(rest.text)).toBe(true)
      const next = sendTo(other.gateway, paths.responses, {
        body: bodyFor('responses', { previous_response_id: idIn(client.text), input: 'And then?' }),
      })
      const { body } = await other.upstream.next()
      expect((body.messages as { role: string }[]).map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'user',
      ])
      next.disconnect()
    }),
  )

  isHere('A response is cancelled by whichever gateway is asked, and its listeners hear it.', () =>
    pair(async (one, other) => {
      const client = sendTo(one.gateway, paths.responses, { body: streamed })
      const asked = await one.upstream.next()
      asked.stream()
      await until(() => idIn(client.text) !== '')
      const path = `/v1/responses/${idIn(client.text)}`
      const cancelled = sendTo(other.gateway, `${path}/cancel`, { method: 'POST', body: {} })
      await cancelled.done
      expect(JSON.parse(cancelled.text)).toMatchObject({ status: 'cancelled' })
      await client.done
      const heard = sendTo(other.gateway, `${path}?stream=true`)
      await heard.done
      expect(heard.text).toBe(client.text)
      // Whoever listens is told the same end as whoever asks.
      expect(endIn(heard.text)).toMatchObject({ response: JSON.parse(cancelled.text) })
    }),
  )

  isHere(
    'A gateway that dies when the client has the first event leaves it to those who listen elsewhere.',
    () =>
      pair(async (one, other) => {
        const client = sendTo(one.gateway, paths.responses, { body: streamed })
        await until(() => idIn(client.text) !== '')
        const id = idIn(client.text)
        expect(await other.store.readEvents?.('anonymous', id, 0)).toMatchObject({ next: 2, isLast: false })
        client.disconnect()
        await one.gateway.close()
      }),
  )

  isHere('A gateway that dies when the end is stored leaves all events to those who listen elsewhere.', () =>
    pair(async (one, other) => {
      // From the end on, its process does nothing any more.
      let isEnded = false
      const save = one.store.saveResponse.bind(one.store)
      one.store.saveResponse = async (record, events) => {
        await save(record, events)
        isEnded = record.status === 'completed'
        if (isEnded) await new Promise(() => {})
      }
      const client = sendTo(one.gateway, paths.responses, { body: streamed })
      const stream = (await one.upstream.next()).stream()
      await until(() => idIn(client.text) !== '')
      for (const frame of await framesOf('chat', textTurn)) stream.data(frame)
      stream.end()
      await until(() => isEnded)
      const heard = sendTo(other.gateway, `/v1/responses/${idIn(client.text)}?stream=true`)
      await heard.done
      const { response } = endIn(heard.text)
      expect(response.status).toBe('completed')
      const [message] = response.output.filter(({ type }) => type === 'message')
      expect(deltasIn(heard.text)).toBe(message?.content?.[0]?.text)
      const numbers = numbersIn(heard.text)
      expect(numbers).toEqual(numbers.map((_, at) => at))
    }),
  )

  hasLeases('What a dead gateway worked on ends as failed for those who listen elsewhere.', () => {
    // No lease is renewed by itself while the test runs, and the time by which others are judged is the test's.
    const leaseMs = 3_600_000
    let elapsed = 0
    const act = async (one: Member, other: Member, place: string): Promise<void> => {
      const client = sendTo(one.gateway, paths.responses, { body: streamed })
      const asked = await one.upstream.next()
      const stream = asked.stream()
      const [first = ''] = await framesOf('chat')
      stream.data(first)
      await until(() => idIn(client.text) !== '')
      const id = idIn(client.text)
      const path = `/v1/responses/${id}`
      await until(async () => (await other.store.readEvents?.('anonymous', id, 0)) !== undefined)
      const heard = sendTo(other.gateway, `${path}?stream=true`)
      await until(() => numbersIn(heard.text).length > 0)
      expect(heard.text).not.toContain('response.failed')
      // Its lease runs out, as if its process had stopped here.
      await spoil(place, 'leases')
      elapsed += leaseMs
      await heard.done
      const last = heard.text.trimEnd().split('\n\n').at(-1) ?? ''
      expect(last).toContain('event: response.failed')
      expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({
        response: { status: 'failed', error: { code: 'server_restart' } },
      })
      const numbers = numbersIn(heard.text)
      expect(numbers).toEqual(numbers.map((_, at) => at))
      // What it still says is not stored.
      stream.end()
      await client.done
      const found = sendTo(other.gateway, path)
      await found.done
      expect(JSON.parse(found.text)).toMatchObject({ status: 'failed', error: { code: 'server_restart' } })
    }
    return pair(act, [{ leaseMs }, { leaseMs, elapsed: () => elapsed }])
  })

  isHere('A cursor older than what is kept is refused.', () =>
    pair(async (one, other, place) => {
      const client = sendTo(one.gateway, paths.responses, { body: streamed })
      const stream = (await one.upstream.next()).stream()
      for (const frame of await framesOf('chat')) stream.data(frame)
      stream.end()
      await client.done
      await pause(200)
      await spoil(place, 'events')
      const heard = sendTo(other.gateway, `/v1/responses/${idIn(client.text)}?stream=true&starting_after=0`)
      await heard.done
      expect(heard.status).toBe(400)
      expect(JSON.parse(heard.text).error.code).toBe('events_gone')
    }),
  )

  isHere('A key has one limit on all gateways, and a conversation one upstream.', () =>
    pair(async ({ store: first }, { store: second }) => {
      // A time that stands still, and at which nothing has expired.
      const clock = createManualClock(Math.ceil(Date.now() / 60_000) * 60_000)
      const names = ['one', 'two', 'three']
      const asked: string[] = []
      const whole = await answerOf('chat')
      const upstreams = names.map(name => {
        const { transport } = createFakeUpstream(request => {
          asked.push(name)
          request.json(200, whole)
        })
        return { name, wire: 'chat', baseUrl: `http://${name}.test/v1`, models: ['m'], order: 1, transport }
      })
      const tenants = [
        { name: 'ann', key: 'a', requestsPerMinute: 7 },
        { name: 'bob', key: 'b' },
      ]
      const gateways = [first, second].map(store =>
        createGateway({ upstreams, tenants, store, clock, heartbeatMs: 0 }),
      ) as [Gateway, Gateway]
      const ask = async (gateway: Gateway, key: string, more: object = {}) => {
        const headers = { authorization: `Bearer ${key}` }
        const client = sendTo(gateway, paths.responses, { headers, body: bodyFor('responses', more) })
        await client.done
        return client
      }
      const all = await Promise.all([...Array(6)].flatMap(() => gateways.map(gateway => ask(gateway, 'a'))))
      expect(all.filter(({ status }) => status === 200)).toHaveLength(7)
      expect(all.filter(({ status }) => status === 429)).toHaveLength(5)
      for (let n = 0; n < 3; n++) {
        asked.splice(0)
        const { id } = (await ask(gateways[0], 'b')).json()
        for (const gateway of gateways) await ask(gateway, 'b', { previous_response_id: id })
        expect(asked).toHaveLength(3)
        expect(new Set(asked).size).toBe(1)
      }
    }),
  )
})
