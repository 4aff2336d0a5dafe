/** Clients that take nothing at all: there is an end to waiting for them, and nothing of them is left. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTask } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { GatewayRequest, Sink } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import {
  jsonPost,
  openFetchAdapter,
  openNodeAdapter,
  openSocket,
  rawRequest,
} from '../../support/faults/adapters.ts'
import { fill, holds } from '../../support/faults/full-client.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, endOf, framesOf, paths, textTurn } from '../../support/faults/wires.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()

const minutes = 60_000
const mebi = 1024 * 1024
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const delta = { content: 'x'.repeat(64 * 1024) }
const big = `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`

interface Connected extends Harness {
  readonly socket: Socket
  readonly asked: PendingRequest
  readonly answer: ServerResponse
  /** Resolves when the server has let go of the connection. */
  readonly closed: Promise<void>
}

/** A client on a socket that has asked and reads nothing. */
async function connect(more: object): Promise<Connected> {
  const setting = createHarness({ heartbeatMs: 0, upstream: { timeouts: { idleMs: 0, totalMs: 0 } } })
  const adapter = await openNodeAdapter(setting.gateway)
  closing.push(() => adapter.close())
  const answering = new Promise<ServerResponse>(resolve => {
    adapter.server.once('request', (_request, response) => resolve(response))
  })
  const closed = new Promise<void>(resolve => {
    adapter.server.once('connection', (connection: Socket) => connection.once('close', () => resolve()))
  })
  const socket = await openSocket(adapter.port)
  socket.on('error', () => {})
  const headers = ['host: localhost', 'content-type: application/json']
  const body = JSON.stringify(bodyFor('chat', more))
  socket.write(rawRequest(`POST ${paths.chat} HTTP/1.1`, headers, body))
  const asked = await setting.upstream.next()
  return { ...setting, socket, asked, answer: await answering, closed }
}

describe('a client on a socket', () => {
  test('A client that reads nothing of a stream for ten minutes is cut off, and its upstream with it.', async () => {
    const { asked, clock, closed, gateway } = await connect({ stream: true })
    asked.stream()
    await fill(asked, big, 64 * mebi)
    expect(asked.isPaused).toBe(true)
    await clock.advance(9 * minutes)
    expect(asked.isAborted).toBe(false)
    await clock.advance(2 * minutes)
    expect(asked.isAborted).toBe(true)
    await closed
    await clock.settle()
    expect([gateway.active, clock.timers]).toEqual([0, 0])
  })

  test('A client that reads nothing of an answer is cut off as well.', async () => {
    const { asked, answer, clock, closed } = await connect({})
    asked.json(200, await answerOf('chat', { text: 'x'.repeat(32 * mebi) }))
    await clock.settle()
    while (!(await holds(() => answer.writableLength > 0))) await nextTask()
    await clock.advance(30 * minutes)
    await closed
    expect(clock.timers).toBe(0)
  })

  test('A client that reads an answer slowly gets all of it.', async () => {
    const { asked, answer, clock, socket } = await connect({})
    const length = 48 * mebi
    asked.json(200, await answerOf('chat', { text: 'x'.repeat(length) }))
    await clock.settle()
    let isEnded = false
    socket.once('end', () => {
      isEnded = true
    })
    let received = 0
    for (let wanted = 0; !isEnded; ) {
      // The more the system keeps for a connection, the later the server sees that something was taken.
      if (received >= wanted) {
        await clock.advance(4 * minutes)
        wanted = received + 6 * mebi
      }
      const piece: Buffer | null = socket.read()
      received += piece?.length ?? 0
      if (piece === null) await nextTask()
      if (answer.destroyed && !answer.writableFinished) break
    }
    expect(received).toBeGreaterThan(length)
    expect(answer.writableFinished).toBe(true)
    await clock.settle()
    expect(clock.timers).toBe(0)
  })
})

test('A client of a fetch handler that reads nothing is cut off.', async () => {
  const { gateway, upstream, clock } = createHarness({ heartbeatMs: 0, limits: { clientStallMs: 1000 } })
  const adapter = await openFetchAdapter(gateway)
  const answer = adapter.request(paths.chat, jsonPost(bodyFor('chat', { stream: true })))
  const asked = await upstream.next()
  asked.stream()
  asked.data(big)
  const response = await answer
  await fill(asked, big, 64 * mebi)
  await clock.advance(1000)
  expect(asked.isAborted).toBe(true)
  await expect(response.text()).rejects.toThrow('broke the answer off')
  await clock.settle()
  expect([gateway.active, clock.timers]).toEqual([0, 0])
})

describe('a client that a test plays', () => {
  test('A stalled client is reported to observers with a reason, and 0 means no limit.', async () => {
    for (const [clientStallMs, code] of [
      [5000, 'client_stalled'],
      [0, undefined],
    ] as const) {
      const { observer, facts } = collectFacts()
      const timeouts = { idleMs: 0, totalMs: 0 }
      const setting = createHarness({
        observer,
        limits: { clientStallMs },
        heartbeatMs: 0,
        upstream: { timeouts },
      })
      const { gateway, upstream, clock } = setting
      const client = sendTo(gateway, paths.chat, {
        body: bodyFor('chat', { stream: true }),
        hasRoom: () => false,
      })
      const asked = await upstream.next()
      asked.stream()
      await clock.settle()
      asked.data((await framesOf('chat', textTurn))[0] ?? '')
      await clock.advance(3_600_000)
      expect(asked.isAborted).toBe(code !== undefined)
      if (code === undefined) client.disconnect()
      await client.done
      expect(facts[0]?.failure?.code).toBe(code ?? 'client_gone')
      expect(clock.timers).toBe(0)
    }
  })

  test('A slow client that reads everything in time gets everything, with one drain for each wait.', async () => {
    const { gateway, upstream, clock } = createHarness({ limits: { clientStallMs: 1000 }, heartbeatMs: 0 })
    const waiting: (() => void)[] = []
    const parts: string[] = []
    let most = 0
    const sink: Sink = {
      head: () => {},
      write: text => parts.push(String(text)) < 0,
      end: () => {},
      onDrain(callback) {
        waiting.push(callback)
        most = Math.max(most, waiting.length)
      },
    }
    const request: GatewayRequest = {
      method: 'POST',
      target: paths.messages,
      headers: { host: 'localhost', 'content-type': 'application/json' },
      signal: new AbortController().signal,
      body: async () => Buffer.from(JSON.stringify(bodyFor('messages', { stream: true }))),
    }
    const handled = gateway.handle(request, sink)
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    for (const [i, frame] of (await framesOf('chat')).entries()) {
      // A transport may have more under way than it can hold back.
      asked.data(frame)
      await clock.advance(400)
      if (i % 2 === 1) for (const callback of waiting.splice(0)) callback()
    }
    for (const callback of waiting.splice(0)) callback()
    asked.end()
    await handled
    expect(endOf('messages', parts.join(''))).toEqual({ end: 'good' })
    expect(most).toBe(1)
    expect(clock.timers).toBe(0)
  })
})
