/** Clients that go away: the upstream is let go at once, tools are told, and what was begun is not called finished. */
import { setImmediate as nextTask } from 'node:timers/promises'
import { defineTool } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { combineObservers } from '../../../packages/toolwire/src/telemetry/combine-observers.ts'
import type { ExchangeFacts, Observer } from '../../../packages/toolwire/src/telemetry/observer.ts'
import {
  adapters,
  jsonPost,
  openNodeAdapter,
  openSocket,
  rawRequest,
  startUpstream,
} from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, framesOf, paths, wires } from '../../support/faults/wires.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()

/** Tells when an exchange is over, and how. */
function watchEnd(): { readonly observer: Observer; readonly ended: Promise<ExchangeFacts> } {
  let tell = (_: ExchangeFacts): void => {}
  const ended = new Promise<ExchangeFacts>(resolve => {
    tell = resolve
  })
  return { observer: combineObservers({ ended: tell }), ended }
}

async function enter(
  open: (typeof adapters)[number][1],
  gateway: Gateway,
): Promise<Awaited<ReturnType<typeof open>>> {
  const adapter = await open(gateway)
  closing.push(() => adapter.close())
  return adapter
}

describe.each(adapters)('through %s', (_, open) => {
  describe.each(wires)('a %s client that goes away', wire => {
    test.each([false, true])(
      'When a client leaves before the answer begins, the upstream is aborted (streamed: %s).',
      async stream => {
        const { observer, ended } = watchEnd()
        const { gateway, upstream } = createHarness({ observer })
        const adapter = await enter(open, gateway)
        const leaving = new AbortController()
        const answer = adapter.request(paths[wire], {
          ...jsonPost(bodyFor(wire, { stream })),
          signal: leaving.signal,
        })
        answer.catch(() => {})
        const asked = await upstream.next()
        leaving.abort()
        await asked.whenAborted()
        const facts = await ended
        expect(facts.abandoned).toBe(true)
        await nextTask()
        expect(gateway.active).toBe(0)
        expect(upstream.requests.length).toBe(1)
      },
    )

    test('When a client leaves in the middle of a stream, the upstream is aborted.', async () => {
      const { observer, ended } = watchEnd()
      const { gateway, upstream } = createHarness({ observer })
      const adapter = await enter(open, gateway)
      const answer = adapter.request(paths[wire], jsonPost(bodyFor(wire, { stream: true })))
      const asked = await upstream.next()
      asked.stream()
      for (const frame of (await framesOf('chat')).slice(0, 2)) asked.data(frame)
      const reader = (await answer).body?.getReader()
      expect((await reader?.read())?.done).toBe(false)
      await reader?.cancel()
      await asked.whenAborted()
      expect((await ended).abandoned).toBe(true)
    })

    test('When a client leaves in the middle of an answer, the upstream is aborted.', async () => {
      const { gateway, upstream } = createHarness()
      const adapter = await enter(open, gateway)
      const leaving = new AbortController()
      const answer = adapter.request(paths[wire], { ...jsonPost(bodyFor(wire)), signal: leaving.signal })
      answer.catch(() => {})
      const asked = await upstream.next()
      asked.head(200).data('{"id":')
      leaving.abort()
      await asked.whenAborted()
    })
  })

  test('A tool that the gateway runs for a client that leaves is aborted.', async () => {
    let started = (_: AbortSignal): void => {}
    const running = new Promise<AbortSignal>(resolve => {
      started = resolve
    })
    const { observer, ended } = watchEnd()
    const { gateway, upstream } = createHarness({
      observer,
      tools: [
        defineTool({
          name: 'slow',
          parameters: { type: 'object' },
          handler: (_args, context) => {
            if (context !== undefined) started(context.signal as AbortSignal)
            return new Promise(() => {})
          },
        }),
      ],
    })
    const adapter = await enter(open, gateway)
    const leaving = new AbortController()
    const answer = adapter.request(paths.chat, { ...jsonPost(bodyFor('chat')), signal: leaving.signal })
    answer.catch(() => {})
    const calling = { calls: [{ name: 'slow', id: 'call_9', arguments: {} }] }
    ;(await upstream.next()).json(200, await answerOf('chat', calling))
    const signal = await running
    const stopped = new Promise(resolve => signal.addEventListener('abort', resolve))
    leaving.abort()
    await stopped
    await ended
    expect(upstream.requests.length).toBe(1)
  })
})

test('When a client closes its socket, the socket of the upstream is closed.', async () => {
  let begun = (): void => {}
  let closed = (): void => {}
  const hasBegun = new Promise<void>(resolve => {
    begun = resolve
  })
  const hasClosed = new Promise<void>(resolve => {
    closed = resolve
  })
  const upstream = await startUpstream((_request, response) => {
    response.on('close', () => closed())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': here\n\n')
    begun()
  })
  const gateway = createGateway({ upstreams: [{ name: 'up', wire: 'chat', baseUrl: upstream.baseUrl }] })
  const adapter = await openNodeAdapter(gateway)
  closing.push(
    () => adapter.close(),
    () => gateway.close(),
    () => upstream.close(),
  )
  const socket = await openSocket(adapter.port)
  const body = JSON.stringify(bodyFor('chat', { stream: true }))
  const headers = ['host: localhost', 'content-type: application/json']
  socket.write(rawRequest(`POST ${paths.chat} HTTP/1.1`, headers, body))
  await hasBegun
  socket.destroy()
  await hasClosed
})

test('A client that closes its half of the connection counts as gone.', async () => {
  const { gateway, upstream } = createHarness()
  const adapter = await openNodeAdapter(gateway)
  closing.push(() => adapter.close())
  const socket = await openSocket(adapter.port)
  const headers = ['host: localhost', 'content-type: application/json']
  socket.write(rawRequest(`POST ${paths.chat} HTTP/1.1`, headers, JSON.stringify(bodyFor('chat'))))
  const asked = await upstream.next()
  socket.end()
  socket.resume()
  await asked.whenAborted()
})

test('A client that leaves while it sends its request leaves nothing behind.', async () => {
  const { observer, ended } = watchEnd()
  const { gateway, upstream } = createHarness({ observer })
  const adapter = await openNodeAdapter(gateway)
  closing.push(() => adapter.close())
  const arrived = new Promise(resolve => adapter.server.once('request', resolve))
  const socket = await openSocket(adapter.port)
  const head = ['host: localhost', 'content-type: application/json', 'content-length: 1000']
  socket.write([`POST ${paths.chat} HTTP/1.1`, ...head, '', '{"model":'].join('\r\n'))
  await arrived
  socket.destroy()
  expect((await ended).abandoned).toBe(true)
  await nextTask()
  expect(gateway.active).toBe(0)
  expect(upstream.requests.length).toBe(0)
})

test('For a client that has left before the gateway begins, no upstream is called.', async () => {
  const { gateway, upstream } = createHarness()
  const gone = AbortSignal.abort()
  const body = Buffer.from(JSON.stringify(bodyFor('chat')))
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  const sink = { head: () => {}, write: () => true, end: () => {}, onDrain: () => {} }
  await gateway.handle(
    { method: 'POST', target: paths.chat, headers, signal: gone, body: async () => body },
    sink,
  )
  expect(upstream.requests.length).toBe(0)
})

test('What a client received before it left is stored, and not as completed.', async () => {
  const store = createMemoryStore({ now: () => startOfTime })
  const { gateway, upstream, clock } = createHarness({ store })
  const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { stream: true }) })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  for (const frame of (await framesOf('chat')).slice(0, 3)) asked.data(frame)
  client.disconnect()
  await client.done
  const id = /"id":"(resp_[^"]+)"/.exec(client.text)?.[1]
  const stored = sendTo(gateway, `/v1/responses/${id}`)
  await stored.done
  expect(stored.json().status).toBe('failed')
  expect(JSON.stringify(stored.json().output)).toContain('It rains')
})

test('A background response goes on when its client leaves.', async () => {
  const store = createMemoryStore({ now: () => startOfTime })
  const { gateway, upstream, clock } = createHarness({ store })
  const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { background: true }) })
  const asked = await upstream.next()
  client.disconnect()
  await client.done
  expect(asked.isAborted).toBe(false)
  asked.json(200, await answerOf('chat'))
  await clock.settle()
  const { id, status } = client.json()
  expect(status).toBe('queued')
  const stored = sendTo(gateway, `/v1/responses/${id}`)
  await stored.done
  expect(stored.json().status).toBe('completed')
})
