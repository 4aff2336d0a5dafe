/** Several gateways on one store: whichever is asked can answer, and one that dies is not waited for. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { FakeUpstream } from '../../support/faults/upstream.ts'
import { createFakeUpstream } from '../../support/faults/upstream.ts'
import { bodyFor, framesOf, paths, textTurn } from '../../support/faults/wires.ts'
import { postgresPlaces, redisPlaces } from '../../support/servers/shared-places.ts'

const kinds = [await redisPlaces(), await postgresPlaces()]
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

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20)
}

describe.each(kinds)('on $name', ({ server, open, spoil }) => {
  const isHere = test.skipIf(server === undefined)

  async function pair(act: (one: Member, other: Member, place: string) => Promise<void>): Promise<void> {
    const place = `p${randomUUID()}`
    const members = [member(await open(place)), member(await open(place, { leaseMs: 400 }))] as const
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
    }),
  )

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
})
