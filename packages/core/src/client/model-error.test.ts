/** What a `ModelError` carries of the server's answer, and what the retries of steps make of it. */
import { describe, expect, test } from 'vitest'
import { wires } from '../../../../test/conversation/native.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import { defineStep, runStep } from '../steps/index.ts'
import { createTestHost } from '../testing/test-host.ts'
import { builtInConversations } from '../wires/registry.ts'
import { connectModelWith } from './connect-model.ts'

const request = { turns: [], tools: {}, settings: {} }
const busy = (headers: Record<string, string>, status = 429) =>
  new Response(JSON.stringify({ error: { type: 'rate_limit_error', message: 'Slower.' } }), {
    status,
    headers,
  })

function portOf(wire: (typeof wires)[number], send: () => unknown) {
  const host = createTestHost()
  return {
    host,
    port: connectModelWith(host, { wire: builtInConversations[wire], send, request: { model: 'm' } }),
  }
}

describe('a ModelError', () => {
  test.each(wires)('It carries status, headers and the time to wait of a Response of %s.', async wire => {
    const { port } = portOf(wire, () => busy({ 'Retry-After': '2', 'X-Request-Id': 'r1' }))
    await expect(port.ask(request)).rejects.toMatchObject({
      status: 429,
      kind: 'rate_limit',
      headers: { 'retry-after': '2', 'x-request-id': 'r1' },
      retryAfterMs: 2000,
    })
  })

  test.each([
    [{ 'retry-after-ms': '150', 'retry-after': '9' }, 150],
    [{ 'retry-after': 'Mon, 16 Nov 2026 10:00:30 GMT', date: 'Mon, 16 Nov 2026 10:00:00 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 16 Nov 2026 10:00:30 GMT' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{}, undefined],
  ])('With the headers %j the time to wait is %s.', (headers, expected) => {
    const error = new ModelError('x', { kind: 'rate_limit', headers })
    expect(error.retryAfterMs).toBe(expected)
  })

  test.each([
    ['a Headers object', new Headers({ 'Retry-After': '3' })],
    ['a plain object', { 'Retry-After': '3' }],
  ])('It carries the headers of what a client threw: %s.', async (_, headers) => {
    const { port } = portOf('chat', () => {
      throw Object.assign(new Error('429 Slower.'), { status: 429, headers, error: { message: 'Slower.' } })
    })
    await expect(port.ask(request)).rejects.toMatchObject({ retryAfterMs: 3000, status: 429 })
  })

  test.each([
    [401, 'authentication'],
    [403, 'permission'],
  ])('A status %s is about the key, whatever the body calls it.', async (status, kind) => {
    for (const wire of wires) {
      const body = JSON.stringify({ error: { type: 'invalid_request_error', message: 'No.' } })
      const { port } = portOf(wire, () => new Response(body, { status }))
      await expect(port.ask(request)).rejects.toMatchObject({ status, kind })
    }
  })
})

describe('the retries of a step', () => {
  const step = defineStep({
    name: 'pick',
    outputSchema: { type: 'object', properties: {}, additionalProperties: false },
    alsoRetry: ['model_failed'],
  })

  test('They wait as long as the server asks.', async () => {
    let asked = 0
    const { host, port } = portOf('chat', () => {
      asked++
      return busy({ 'retry-after': '2' })
    })
    const result = runStep(step, 'x', { model: port })
    await host.advance(1999)
    expect(asked).toBe(1)
    await host.advance(1)
    expect(asked).toBe(2)
    await host.runAll()
    expect(await result).toMatchObject({ ok: false, error: { code: 'model_failed' } })
    expect([asked, host.timers]).toEqual([4, 0])
  })

  test('A pause of more than a minute ends the step instead.', async () => {
    let asked = 0
    const { host, port } = portOf('chat', () => {
      asked++
      return busy({ 'retry-after': '61' })
    })
    expect(await runStep(step, 'x', { model: port })).toMatchObject({ ok: false })
    expect([asked, host.timers]).toEqual([1, 0])
  })

  test('An abort ends the wait and leaves no timer behind.', async () => {
    const { host, port } = portOf('chat', () => busy({ 'retry-after': '2' }))
    const abort = new AbortController()
    const result = runStep(step, 'x', { model: port, signal: abort.signal })
    await host.advance(1)
    abort.abort()
    expect(await result).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(host.timers).toBe(0)
  })
})
