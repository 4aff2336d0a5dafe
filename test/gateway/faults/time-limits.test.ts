/** How long a whole exchange may take: each upstream has its own limit, whatever the others have. */
import { expect, test } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { ManualClock } from '../../support/faults/clock.ts'
import { createManualClock } from '../../support/faults/clock.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { FakeUpstream } from '../../support/faults/upstream.ts'
import { createFakeUpstream } from '../../support/faults/upstream.ts'
import { bodyFor, endOf, errorIn, framesOf, paths, wires } from '../../support/faults/wires.ts'

function createTwo(): { clock: ManualClock; upstream: FakeUpstream; gateway: Gateway } {
  const clock = createManualClock()
  const upstream = createFakeUpstream()
  const { transport } = upstream
  const shared = { wire: 'chat', baseUrl: 'http://up.test/v1', transport } as const
  const never = { firstByteMs: 0, idleMs: 0 }
  const gateway = createGateway({
    clock,
    heartbeatMs: 0,
    upstreams: [
      { ...shared, name: 'quick', models: ['m'], timeouts: { ...never, totalMs: 5_000 } },
      { ...shared, name: 'slow', models: ['long'], timeouts: { ...never, totalMs: 7_200_000 } },
      { ...shared, name: 'endless', models: ['endless'], timeouts: { ...never, totalMs: 0 } },
    ],
  })
  return { clock, upstream, gateway }
}

test.each(wires)('A %s answer is aborted at the time limit of its own upstream.', async wire => {
  const { clock, upstream, gateway } = createTwo()
  const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
  const asked = await upstream.next()
  await clock.advance(4_999)
  expect(client.status).toBeUndefined()
  await clock.advance(1)
  await client.done
  expect([client.status, asked.isAborted, clock.timers]).toEqual([504, true, 0])
  expect(errorIn(wire, client.json())).toContain('5000 ms')
  expect(client.headers['x-toolwire-upstream']).toBe('quick')
})

test.each(wires)('A %s stream is aborted at the time limit of its own upstream.', async wire => {
  const { clock, upstream, gateway } = createTwo()
  const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  for (const frame of (await framesOf('chat')).slice(0, 3)) {
    asked.data(frame)
    await clock.advance(2_000)
  }
  await client.done
  expect(endOf(wire, client.text)).toEqual({
    end: 'failed',
    message: 'The exchange took longer than 5000 ms.',
  })
  expect([asked.isAborted, clock.timers]).toEqual([true, 0])
})

test.each([
  ['long', 7_199_999],
  ['endless', 24 * 3_600_000],
])('An upstream with a longer time limit is awaited that long: %s.', async (model, waited) => {
  const { clock, upstream, gateway } = createTwo()
  const client = sendTo(gateway, paths.chat, { body: bodyFor('chat', { model }) })
  const asked = await upstream.next()
  await clock.advance(waited)
  expect(asked.isAborted).toBe(false)
  client.disconnect()
  await client.done
  expect(clock.timers).toBe(0)
})
