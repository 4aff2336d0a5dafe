/** What the simulation found, each as small as it gets: timers and listeners that outlive their use or never come. */
import { getEventListeners } from 'node:events'
import { defineTool } from '@toolwire/core'
import { sseFrames } from '@toolwire/core/wires'
import { expect, test, vi } from 'vitest'
import { ClientStream } from '../../../packages/toolwire/src/gateway/http/client-stream.ts'
import type { Transport } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import { openAnswer } from '../../../packages/toolwire/src/gateway/upstream/attempt.ts'
import type { Clock } from '../../../packages/toolwire/src/platform/clock.ts'
import { systemClock } from '../../../packages/toolwire/src/platform/clock.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { createManualClock, startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { bodyFor, endOf, framesOf, paths, textTurn } from '../../support/faults/wires.ts'

test('A client that reads nothing costs one timer for each heartbeat, and gets a keep-alive when it reads again.', async () => {
  const held = createManualClock()
  let timers = 0
  const clock: Clock = {
    ...held,
    after(milliseconds, callback) {
      timers++
      return held.after(milliseconds, callback)
    },
  }
  const written: string[] = []
  const draining: (() => void)[] = []
  const stream = new ClientStream({
    clock,
    heartbeatMs: 1_000,
    frames: sseFrames,
    headers: () => ({}),
    sink: {
      head: () => {},
      write: chunk => written.push(String(chunk)) > 1,
      end: () => {},
      onDrain: callback => draining.push(callback),
    },
  })
  stream.write('one')
  await held.advance(60_000)
  expect(timers).toBeLessThanOrEqual(61)
  expect(written).toEqual(['one'])
  for (const callback of draining) callback()
  await held.advance(1_000)
  expect(written).toEqual(['one', ': keep-alive\n\n'])
  stream.end()
  expect(held.timers).toBe(0)
})

test('A tool that hangs is aborted by the clock of the gateway.', async () => {
  const lookup = defineTool({
    name: 'lookup',
    parameters: { type: 'object', properties: {} },
    handler: () => new Promise<string>(() => {}),
  })
  const { clock, gateway, upstream } = createHarness({ tools: [lookup], toolTimeoutMs: 5_000 })
  const visited = sendTo(gateway, paths.messages, { body: bodyFor('messages', { stream: true }) })
  const first = await upstream.next()
  const called = { calls: [{ name: 'lookup', id: 'call_1', arguments: {} }] }
  first
    .stream()
    .data((await framesOf('chat', called)).join(''))
    .end()
  await clock.advance(4_900)
  expect(upstream.requests).toHaveLength(1)
  await clock.advance(200)
  expect(upstream.requests).toHaveLength(2)
  const second = await upstream.next()
  expect(JSON.stringify(second.body)).toContain('5000 ms')
  second
    .stream()
    .data((await framesOf('chat', textTurn)).join(''))
    .end()
  await visited.done
  expect(endOf('messages', visited.text)).toEqual({ end: 'good' })
  expect(clock.timers).toBe(0)
})

test('An upstream that fails before the request was sent leaves no timer and no listener.', async () => {
  const clock = createManualClock()
  const { signal } = new AbortController()
  const transport: Transport = (_request, receiver) => {
    receiver.fail(new Error('no route'))
    return { pause: () => {}, resume: () => {}, abort: () => {} }
  }
  const request = { method: 'POST', url: 'http://up.test/v1', headers: {}, body: '', connectMs: 1 } as const
  const asking = openAnswer({ transport, request, firstByteMs: 1_000, clock, signal, name: 'up' })
  await expect(asking).rejects.toThrow('no route')
  expect(clock.timers).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('A background response has the time limit of an exchange, however long its upstream goes on.', async () => {
  const timeouts = { idleMs: 10_000, totalMs: 60_000 }
  const { clock, gateway, upstream } = createHarness({
    store: createMemoryStore({ now: () => startOfTime }),
    upstream: { timeouts },
  })
  const receipt = sendTo(gateway, paths.responses, { body: bodyFor('responses', { background: true }) })
  await receipt.done
  const { id } = receipt.json()
  const asked = await upstream.next()
  asked.stream()
  const [start = ''] = await framesOf('chat', textTurn)
  for (let said = 0; said < 9 && !asked.isAborted; said++) {
    asked.data(start)
    await clock.advance(8_000)
  }
  expect(asked.isAborted).toBe(true)
  const found = sendTo(gateway, `${paths.responses}/${id}`)
  await found.done
  expect(found.json()).toMatchObject({ status: 'failed', error: { code: 'total_timeout' } })
  await clock.settle()
  expect(clock.timers).toBe(0)
})

test('Keep-alives that a slow client must read do not keep a silent upstream alive.', async () => {
  const { clock, gateway, upstream } = createHarness({
    upstream: { timeouts: { idleMs: 10_000, pingMs: 10_000 } },
  })
  const body = bodyFor('chat', { stream: true })
  const visited = sendTo(gateway, paths.chat, { body, hasRoom: () => false })
  const asked = await upstream.next()
  const [start = ''] = await framesOf('chat', textTurn)
  asked.stream().data(start)
  let seconds = 0
  // Half of the time the client is what is waited for, so the silence lasts twice as long.
  for (; seconds < 60 && !asked.isAborted; seconds++) {
    visited.drain()
    await clock.advance(500)
    asked.data(': still here\n\n')
    await clock.advance(500)
  }
  expect(seconds).toBeGreaterThan(10)
  expect(seconds).toBeLessThanOrEqual(22)
  await visited.done
  expect(endOf('chat', visited.text)).toMatchObject({ end: 'failed' })
})

test('A timer that is longer than the platform supports does not fire at once.', () => {
  vi.useFakeTimers()
  try {
    let count = 0
    const month = 31 * 24 * 3_600_000
    const cancel = systemClock.after(month, () => count++)
    systemClock.after(Number.POSITIVE_INFINITY, () => count++)
    vi.advanceTimersByTime(month - 1)
    expect(count).toBe(0)
    vi.advanceTimersByTime(1)
    expect(count).toBe(1)
    systemClock.after(month, () => count++)()
    cancel()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
