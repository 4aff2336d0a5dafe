import { createScriptedModel, says } from '@toolwire/core/testing'
import { expect, test } from 'vitest'
import { createGateway } from '../create-gateway.ts'
import type { Receiver } from '../http/contract.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import { createFetchTransport } from './fetch-transport.ts'

const request = { method: 'POST' as const, url: 'http://model/v1', headers: {}, body: '{}', connectMs: 0 }

function receiver(): Receiver & { readonly heard: string[]; readonly over: Promise<void> } {
  const heard: string[] = []
  let finish = (): void => {}
  const over = new Promise<void>(resolve => {
    finish = resolve
  })
  return {
    heard,
    over,
    head: status => void heard.push(`head ${status}`),
    data: chunk => void heard.push(Buffer.from(chunk).toString('utf8')),
    end() {
      heard.push('end')
      finish()
    },
    fail(error) {
      heard.push(`failed: ${error.message}`)
      finish()
    },
  }
}

test('A gateway with web interfaces on both sides serves a client of another wire.', async () => {
  const model = createScriptedModel({ wire: 'messages', script: [says('Hello.')] })
  const gateway = createGateway({
    upstreams: [
      {
        name: 'm',
        wire: 'messages',
        baseUrl: 'http://model/v1',
        transport: createFetchTransport(model.fetch),
      },
    ],
  })
  const handle = createFetchHandler(gateway)
  const answer = await handle(
    new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'any', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    }),
  )
  const text = await answer.text()
  expect(text).toContain('data: [DONE]')
  expect([...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')).toBe('Hello.')
  await gateway.close()
})

test('A paused transport waits, a resumed one goes on, and an aborted one delivers nothing more.', async () => {
  const bytes = new TextEncoder()
  const body = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (const piece of ['a', 'b', 'c']) controller.enqueue(bytes.encode(piece))
        controller.close()
      },
    })
  const transport = createFetchTransport(async () => new Response(body(), { status: 200 }))
  const told = receiver()
  const flow = transport(request, {
    ...told,
    data(chunk) {
      told.data(chunk)
      flow.pause()
      queueMicrotask(() => flow.resume())
    },
  })
  await told.over
  expect(told.heard).toEqual(['head 200', 'a', 'b', 'c', 'end'])

  const left = receiver()
  let seen = (): void => {}
  const first = new Promise<void>(resolve => {
    seen = resolve
  })
  const leaving = transport(request, {
    ...left,
    data(chunk) {
      left.data(chunk)
      leaving.pause()
      seen()
    },
  })
  await first
  leaving.abort()
  await new Promise(resolve => setImmediate(resolve))
  expect(left.heard).toEqual(['head 200', 'a'])
})

test('A request that cannot be sent fails once.', async () => {
  const told = receiver()
  createFetchTransport(() => Promise.reject(new TypeError('no network')))(request, told)
  await told.over
  expect(told.heard).toEqual(['failed: no network'])
})
