/**
 * The gateway that is measured: how long its event loop was held at a time, on the clock and in CPU time of its own
 * thread. On a busy machine the clock also counts the neighbours.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { serveAsks } from '../lib/children.mjs'
import { answers } from './inputs.mjs'

const { root, key } = JSON.parse(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'toolwire-loop-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const build = `${root}packages/toolwire/dist/`
const { createGateway, createNodeServer, openSqliteStore } = await import(`${build}node/gateway.js`)
const { createTraceRing } = await import(`${build}telemetry/traces/trace-ring.js`)
const bodies = Object.fromEntries(
  Object.entries(answers).map(([name, answer]) => [name, { ...answer, body: Buffer.from(answer.body) }]),
)
let current = bodies.short
const piece = 64 * 1024

/** An upstream that answers at once, piece by piece. */
function transport(_request, receiver) {
  const { status, type = 'application/json', body } = current
  let at = 0
  let isOver = false
  const send = () => {
    if (isOver) return
    if (at === 0) receiver.head(status, { 'content-type': type })
    receiver.data(body.subarray(at, at + piece))
    at += piece
    if (at < body.length) setImmediate(send)
    else receiver.end()
  }
  setImmediate(send)
  return { pause: () => {}, resume: () => {}, abort: () => (isOver = true) }
}

const upstream = name => ({
  name,
  wire: 'chat',
  baseUrl: `http://${name}.invalid/v1`,
  models: ['m', 'gpt-5'],
  order: 1,
  transport,
})
const traces = createTraceRing()
// All that looks into requests: several upstreams for one model, keys with limits, traces.
const gateway = createGateway({
  upstreams: [upstream('u'), upstream('v')],
  tenants: [
    { name: 'ann', key, tokensPerDay: 1e12 },
    { name: 'bob', key: 'the key of another' },
  ],
  observer: traces,
  traces: traces.inTurns ?? traces,
  store: await openSqliteStore({ path: join(folder, 'responses.sqlite') }),
})
const server = createNodeServer(gateway)

/** CPU time of this thread so far, in milliseconds; `undefined` where it is not known. */
function threadCpu() {
  let file
  try {
    file = openSync('/proc/thread-self/schedstat')
    const text = Buffer.alloc(64)
    return Number(text.toString('latin1', 0, readSync(file, text)).split(' ')[0]) / 1e6
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

let delay
let timer
let longestCpu = 0

serveAsks({
  async listen() {
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    return { port: server.address().port }
  },
  begin({ upstream = 'short' }) {
    current = bodies[upstream]
    globalThis.gc?.()
    longestCpu = 0
    let before = threadCpu()
    delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    timer = setInterval(() => {
      const now = threadCpu()
      if (now !== undefined) longestCpu = Math.max(longestCpu, now - before)
      before = now
    }, 1)
    return {}
  },
  end() {
    delay.disable()
    clearInterval(timer)
    return { clockMs: Math.max(0, delay.max / 1e6 - 1), cpuMs: longestCpu }
  },
})
