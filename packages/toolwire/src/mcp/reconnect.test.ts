/** Attempts to reach a server that was away at the start, with timers that the test controls. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { McpServers } from './connect-servers.ts'
import { connectMcpServers } from './connect-servers.ts'
import type { HttpServer } from './http-server.test-helper.ts'
import { listenWith } from './http-server.test-helper.ts'
import { createSampleServer } from './sample-server.test-helper.ts'

let http: HttpServer
let open: McpServers | undefined

beforeEach(async () => {
  http = await listenWith(unwell)
})
afterEach(async () => {
  await open?.close()
  await http.close()
})

const unwell = (): Response => new Response('Not yet.', { status: 503 })
const well = createMcpHandler(() => createSampleServer('late')).fetch

interface Timer {
  readonly milliseconds: number
  readonly callback: () => void
}

/** Servers whose timers the test fires, and a way to wait for a change. */
async function connect(url: string = http.url) {
  const timers = new Set<Timer>()
  const waiting: (() => void)[] = []
  const servers = await connectMcpServers(
    { late: { url } },
    {
      after(milliseconds, callback) {
        const timer = { milliseconds, callback }
        timers.add(timer)
        return () => timers.delete(timer)
      },
      onChange() {
        for (const resume of waiting.splice(0)) resume()
      },
    },
  )
  open = servers
  /** Fires the only timer and returns its delay. */
  const tryAgain = async (): Promise<number> => {
    const [timer, ...more] = timers
    if (timer === undefined || more.length > 0) throw new Error(`${timers.size} timers are waiting.`)
    timers.delete(timer)
    const changed = new Promise<void>(resolve => waiting.push(resolve))
    timer.callback()
    await changed
    // What follows the change happens in later tasks.
    await new Promise(resolve => setImmediate(resolve))
    return timer.milliseconds
  }
  return { servers, timers, tryAgain }
}

test('A server that appears later offers its tools, and is not tried again.', async () => {
  const { servers, timers, tryAgain } = await connect()
  expect(servers.tools).toEqual([])
  expect(servers.problems).toEqual([
    { server: 'late', message: expect.stringMatching(/^It cannot be reached /), isAwaited: true },
  ])
  expect(await tryAgain()).toBe(1_000)
  expect(servers.tools).toEqual([])
  http.answerWith(well)
  expect(await tryAgain()).toBe(2_000)
  expect(servers.tools.length).toBe(13)
  expect(servers.problems).toEqual([])
  expect(timers.size).toBe(0)
})

test('The delay between attempts doubles, up to one minute.', async () => {
  const { tryAgain } = await connect()
  const waits: number[] = []
  for (let round = 0; round < 8; round++) waits.push(await tryAgain())
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

test('Closing stops the attempts.', async () => {
  const { servers, timers } = await connect()
  expect(timers.size).toBe(1)
  await servers.close()
  expect(timers.size).toBe(0)
})

test('A server that was reached at the start needs no timer.', async () => {
  http.answerWith(well)
  const { servers, timers } = await connect()
  expect(servers.tools.length).toBe(13)
  expect(timers.size).toBe(0)
})
