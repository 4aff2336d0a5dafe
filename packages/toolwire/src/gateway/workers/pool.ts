/**
 * Worker threads for what would hold the event loop too long. There are few, made when they are first needed; a bounded
 * number of requests waits for one; and one that ends is replaced, at the cost of the request it worked on.
 */
import { existsSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import type { SignalLike, WireDefinition } from '@toolwire/core'
import { builtInWires } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError, unavailable } from '../errors.ts'
import { abortReason } from '../http/abort.ts'
import type { JobFailure, JobName, Jobs, Reply } from './protocol.ts'

/** As much of a thread as is used here. */
export interface Thread {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (reply: Reply) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  ref(): void
  unref(): void
  terminate(): Promise<number>
}

export interface WorkerPoolOptions {
  readonly size: number
  /** Where its threads import wires from that are not built in. */
  readonly wireModules?: readonly string[]
  readonly clock: Clock
  readonly start: () => Promise<Thread>
}

/** A worker, for as long as one request needs it. */
export interface Worker {
  run<Name extends JobName>(
    job: Name,
    data: Parameters<Jobs[Name]>[0],
    transfer?: readonly ArrayBuffer[],
  ): Promise<Awaited<ReturnType<Jobs[Name]>>>
}

/** How many requests may wait for a worker. */
const mostWaiting = 100
/** Far longer than any request within the limits takes. */
const longestJobMs = 60_000

const builtIn: readonly WireDefinition[] = Object.values(builtInWires)

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #workers = new Set<PooledWorker>()
  readonly #idle: PooledWorker[] = []
  readonly #waiting: (() => void)[] = []
  /** Workers that are lent, or about to be. */
  #taken = 0
  #isClosed = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /** Whether its threads can convert this wire. */
  knows(wire: WireDefinition): boolean {
    return builtIn.includes(wire) || (this.#options.wireModules ?? []).length > 0
  }

  /** Lends a worker to `use`. If the signal aborts in the middle of a job, the worker is stopped. */
  async with<T>(signal: SignalLike, use: (worker: Worker) => Promise<T>): Promise<T> {
    await this.#turn(signal)
    let worker: PooledWorker | undefined
    try {
      worker = this.#idle.pop() ?? (await this.#start())
      worker.lend(signal)
      return await use(worker)
    } finally {
      await worker?.take()
      if (worker?.isSound) this.#idle.push(worker)
      else if (worker !== undefined) this.#workers.delete(worker)
      this.#taken--
      this.#waiting.shift()?.()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#workers].map(worker => worker.stop()))
  }

  /** Resolves when there is a place. */
  async #turn(signal: SignalLike): Promise<void> {
    if (this.#isClosed) throw stopped('The gateway has closed.')
    if (this.#taken >= this.#options.size) {
      if (this.#waiting.length >= mostWaiting) {
        throw unavailable(
          'All worker threads are busy with large requests, and many wait. Try again later.',
          {
            code: 'workers_busy',
            status: 503,
          },
        )
      }
      await this.#wait(signal)
    }
    this.#taken++
  }

  #wait(signal: SignalLike): Promise<void> {
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(onTurn), 1)
        reject(abortReason(signal))
      }
      if (signal.aborted) return reject(abortReason(signal))
      signal.addEventListener('abort', onAbort)
      this.#waiting.push(onTurn)
    })
  }

  async #start(): Promise<PooledWorker> {
    const worker = new PooledWorker(await this.#options.start(), this.#options.clock, () => {
      this.#workers.delete(worker)
      const at = this.#idle.indexOf(worker)
      if (at !== -1) this.#idle.splice(at, 1)
    })
    this.#workers.add(worker)
    return worker
  }
}

/** One job at a time. After a failure of the thread itself, or an abort in the middle of a job, it is not used again. */
class PooledWorker implements Worker {
  isSound = true
  readonly #thread: Thread
  readonly #clock: Clock
  #signal: SignalLike | undefined
  #settle: ((reply: Reply | Error) => void) | undefined

  constructor(thread: Thread, clock: Clock, onEnd: () => void) {
    this.#thread = thread
    this.#clock = clock
    thread.on('message', reply => this.#settle?.(reply))
    // Without a listener, an error of the thread would end the process.
    thread.on('error', error => this.#break(stopped(describe(error), error)))
    thread.on('exit', code => {
      this.#break(stopped(`It ended with code ${code}.`))
      onEnd()
    })
  }

  lend(signal: SignalLike): void {
    this.#signal = signal
    this.#thread.ref()
  }

  /** Forgets the request; an idle worker does not keep the process alive. */
  async take(): Promise<void> {
    this.#signal = undefined
    if (this.isSound) await this.run('release', undefined).catch(() => undefined)
    if (this.isSound) this.#thread.unref()
    else void this.stop()
  }

  stop(): Promise<number> {
    return this.#thread.terminate()
  }

  run<Name extends JobName>(
    job: Name,
    data: Parameters<Jobs[Name]>[0],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Awaited<ReturnType<Jobs[Name]>>> {
    const signal = this.#signal
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#break(signal === undefined ? stopped('') : abortReason(signal))
      const cancel = this.#clock.after(longestJobMs, () =>
        this.#break(stopped(`It took longer than ${longestJobMs} ms.`)),
      )
      this.#settle = reply => {
        this.#settle = undefined
        cancel()
        signal?.removeEventListener('abort', onAbort)
        if (reply instanceof Error) reject(reply)
        else if ('error' in reply) reject(failureOf(reply.error))
        else resolve(reply.value as Awaited<ReturnType<Jobs[Name]>>)
      }
      if (!this.isSound) this.#settle(stopped('It is gone.'))
      else if (signal?.aborted) this.#settle(abortReason(signal))
      else {
        signal?.addEventListener('abort', onAbort)
        this.#thread.postMessage({ job, data }, transfer)
      }
    })
  }

  #break(error: Error): void {
    this.isSound = false
    this.#settle?.(error)
  }
}

export function failureOf(failure: JobFailure): GatewayError {
  const { kind, message, code, param, status, cause } = failure
  return new GatewayError(kind, message, {
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
    ...(status !== undefined && { status }),
    ...(cause !== undefined && { cause }),
  })
}

function stopped(why: string, cause?: unknown): GatewayError {
  return new GatewayError('server', `The worker thread that converted this request has stopped. ${why}`, {
    code: 'worker_failed',
    status: 503,
    ...(cause !== undefined && { cause }),
  })
}

function describe(error: Error & { readonly code?: unknown }): string {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'It had too little memory.' : 'The log has the reason.'
}

/** Where the thread's code is: beside this file, once compiled. `undefined` where this runtime cannot run it. */
function defaultFile(): URL | undefined {
  if (!import.meta.url.startsWith('file:') || !import.meta.url.endsWith('.js')) return undefined
  const file = new URL('./worker.js', import.meta.url)
  return existsSync(file) ? file : undefined
}

/** `undefined` where there are to be no workers, or cannot be. `file`: the compiled code of a worker. */
export function createWorkerPool({
  size,
  clock,
  wireModules = [],
  file = defaultFile(),
}: Omit<WorkerPoolOptions, 'start'> & { readonly file?: URL | undefined }): WorkerPool | undefined {
  if (size === 0 || file === undefined) return undefined
  return new WorkerPool({
    size,
    clock,
    wireModules,
    async start() {
      const { Worker } = await import('node:worker_threads')
      const heapMiB = Math.floor(getHeapStatistics().heap_size_limit / 1024 / 1024)
      // What is too much for a worker's own memory ends the worker, not the process.
      const resourceLimits = { maxOldGenerationSizeMb: Math.max(128, heapMiB / 2) }
      return new Worker(file, { resourceLimits, workerData: { wireModules } })
    },
  })
}
