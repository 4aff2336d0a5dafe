/**
 * `/live` and `/ready` on a port of their own, answered by a thread of their own, so that whoever supervises the gateway
 * gets an answer at once, however busy it is. The gateway leaves a sign of life in shared memory and, beside it, its state.
 */
import { Worker } from 'node:worker_threads'

/** The places in shared memory. */
const beatAt = 0
const stateAt = 1

const healthStates = ['starting', 'ready', 'draining', 'store unavailable'] as const
type HealthState = (typeof healthStates)[number]

export interface HealthThread {
  readonly port: number
  /** A sign of life. */
  beat(): void
  set(state: HealthState): void
  close(): Promise<void>
}

interface HealthPlace {
  readonly host: string
  readonly port: number
  readonly memory: SharedArrayBuffer
  readonly states: readonly string[]
  readonly liveMs: number
  readonly readyMs: number
}

/** How long the gateway may give no sign of life before it counts as stuck, or as too busy for more requests. */
const liveMs = 60_000
const readyMs = 5_000

/** Rejects when the port cannot be opened. */
export async function startHealthThread(host: string, port: number): Promise<HealthThread> {
  const memory = new SharedArrayBuffer(8)
  const shared = new Int32Array(memory)
  const place: HealthPlace = { host, port, memory, states: healthStates, liveMs, readyMs }
  const beat = (): void => void Atomics.store(shared, beatAt, Date.now() | 0)
  beat()
  // A text instead of a file: a file would have to be found from the sources, the compiled files and the bundle alike.
  const thread = new Worker(`(${serveHealth.toString()})()`, { eval: true, workerData: place })
  const opened = await new Promise<number>((resolve, reject) => {
    thread.once('message', ({ port, error, code }: { port?: number; error?: Error; code?: string }) =>
      port === undefined ? reject(Object.assign(error ?? new Error(), { code })) : resolve(port),
    )
    thread.once('error', reject)
  })
  // It serves as long as the gateway runs, and is no reason to run on.
  thread.unref()
  return {
    port: opened,
    beat,
    set: state => void Atomics.store(shared, stateAt, healthStates.indexOf(state)),
    async close() {
      await thread.terminate()
    },
  }
}

/** Runs in the thread, as text: it must refer to nothing outside itself. */
function serveHealth(): void {
  const { workerData, parentPort } = process.getBuiltinModule('node:worker_threads')
  const { createServer } = process.getBuiltinModule('node:http')
  const { host, port, memory, states, liveMs, readyMs } = workerData as HealthPlace
  const shared = new Int32Array(memory)
  const server = createServer((request, response) => {
    const silentMs = ((Date.now() | 0) - Atomics.load(shared, 0)) | 0
    const state = states[Atomics.load(shared, 1)]
    const send = (status: number, body: object): void => {
      const headers = {
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        ...(status === 503 && { 'retry-after': '5' }),
      }
      response.writeHead(status, headers).end(JSON.stringify(body))
    }
    const path = request.url?.split('?', 1)[0]
    if (path === '/live') {
      if (silentMs <= liveMs) send(200, { status: 'live' })
      else send(503, { status: 'stuck', silent_ms: silentMs })
    } else if (path === '/ready') {
      if (silentMs > readyMs) send(503, { status: 'busy', silent_ms: silentMs })
      else send(state === 'ready' ? 200 : 503, { status: state })
    } else send(404, { status: 'unknown path', paths: ['/live', '/ready'] })
  })
  // Of an error, what is not in the language itself does not cross threads.
  server.once('error', (error: NodeJS.ErrnoException) => parentPort?.postMessage({ error, code: error.code }))
  server.listen(port, host, () => {
    const address = server.address()
    parentPort?.postMessage({ port: typeof address === 'object' ? address?.port : undefined })
  })
}
