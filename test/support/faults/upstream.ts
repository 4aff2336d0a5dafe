/** An upstream that a test controls step by step: what it answers and how it fails. */
import type {
  Receiver,
  Transport,
  UpstreamRequest,
} from '../../../packages/toolwire/src/gateway/http/contract.ts'

export interface Asked {
  readonly request: UpstreamRequest
  readonly body: Record<string, unknown>
  head(status: number, headers?: Readonly<Record<string, string>>): Asked
  /** The head of a stream. */
  stream(): Asked
  data(chunk: string | Uint8Array): Asked
  end(): void
  fail(error?: Error): void
  /** A whole answer. */
  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void
  readonly isPaused: boolean
  readonly isAborted: boolean
  whenAborted(): Promise<void>
  /** The next time it is told to go on. */
  whenResumed(): Promise<void>
}

export interface FakeUpstream {
  readonly transport: Transport
  readonly asked: readonly Asked[]
  /** The next request that no one has taken yet, as soon as it is there. */
  next(): Promise<Asked>
}

export function createFakeUpstream(onAsked?: (asked: Asked) => void): FakeUpstream {
  const asked: Asked[] = []
  const waiting: ((asked: Asked) => void)[] = []
  let taken = 0
  const transport: Transport = (request, receiver) => {
    const { one, flow } = play(request, receiver)
    asked.push(one)
    const first = waiting.shift()
    if (first !== undefined) {
      taken++
      first(one)
    }
    // The gateway has its flow before anything comes back, as over a network.
    if (onAsked !== undefined) queueMicrotask(() => onAsked(one))
    return flow
  }
  return {
    transport,
    asked,
    next() {
      const there = asked[taken]
      if (there === undefined) return new Promise(resolve => waiting.push(resolve))
      taken++
      return Promise.resolve(there)
    },
  }
}

function play(request: UpstreamRequest, receiver: Receiver): { one: Asked; flow: ReturnType<Transport> } {
  let isPaused = false
  let isAborted = false
  const resuming: (() => void)[] = []
  let tellAbort = (): void => {}
  const aborted = new Promise<void>(resolve => {
    tellAbort = resolve
  })
  const one: Asked = {
    request,
    get body() {
      return request.body.length === 0
        ? {}
        : (JSON.parse(String(textOf(request.body))) as Record<string, unknown>)
    },
    head(status, headers = { 'content-type': 'application/json' }) {
      if (!isAborted) receiver.head(status, headers)
      return one
    },
    stream: () => one.head(200, { 'content-type': 'text/event-stream' }),
    data(chunk) {
      if (!isAborted) receiver.data(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      return one
    },
    end() {
      if (!isAborted) receiver.end()
    },
    fail(error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })) {
      if (!isAborted) receiver.fail(error)
    },
    json(status, value, headers = {}) {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      one
        .head(status, { 'content-type': 'application/json', ...headers })
        .data(text)
        .end()
    },
    get isPaused() {
      return isPaused
    },
    get isAborted() {
      return isAborted
    },
    whenAborted: () => aborted,
    whenResumed: () => new Promise(resolve => resuming.push(resolve)),
  }
  const flow = {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      for (const tell of resuming.splice(0)) tell()
    },
    abort() {
      isAborted = true
      tellAbort()
    },
  }
  return { one, flow }
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
}
