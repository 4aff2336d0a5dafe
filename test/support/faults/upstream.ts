/** An upstream that a test controls step by step: what it answers and how it fails. */
import type {
  Receiver,
  Transport,
  UpstreamRequest,
} from '../../../packages/toolwire/src/gateway/http/contract.ts'

export interface PendingRequest {
  readonly request: UpstreamRequest
  readonly body: Record<string, unknown>
  head(status: number, headers?: Readonly<Record<string, string>>): PendingRequest
  /** Sends the head of a stream. */
  stream(): PendingRequest
  data(chunk: string | Uint8Array): PendingRequest
  end(): void
  fail(error?: Error): void
  /** Sends a complete answer. */
  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void
  readonly isPaused: boolean
  readonly isAborted: boolean
  whenAborted(): Promise<void>
  /** Resolves the next time the gateway resumes the answer. */
  whenResumed(): Promise<void>
}

export interface FakeUpstream {
  readonly transport: Transport
  readonly requests: readonly PendingRequest[]
  /** Resolves with the next request that was not returned before. */
  next(): Promise<PendingRequest>
}

export function createFakeUpstream(onRequest?: (request: PendingRequest) => void): FakeUpstream {
  const requests: PendingRequest[] = []
  const waiting: ((request: PendingRequest) => void)[] = []
  let taken = 0
  const transport: Transport = (request, receiver) => {
    const { opened, flow } = openRequest(request, receiver)
    requests.push(opened)
    const first = waiting.shift()
    if (first !== undefined) {
      taken++
      first(opened)
    }
    // The gateway gets its flow before any answer, as over a network.
    if (onRequest !== undefined) queueMicrotask(() => onRequest(opened))
    return flow
  }
  return {
    transport,
    requests,
    next() {
      const arrived = requests[taken]
      if (arrived === undefined) return new Promise(resolve => waiting.push(resolve))
      taken++
      return Promise.resolve(arrived)
    },
  }
}

function openRequest(
  request: UpstreamRequest,
  receiver: Receiver,
): { opened: PendingRequest; flow: ReturnType<Transport> } {
  let isPaused = false
  let isAborted = false
  const resuming: (() => void)[] = []
  let resolveAborted = (): void => {}
  const aborted = new Promise<void>(resolve => {
    resolveAborted = resolve
  })
  const opened: PendingRequest = {
    request,
    get body() {
      return request.body.length === 0 ? {} : (JSON.parse(textOf(request.body)) as Record<string, unknown>)
    },
    head(status, headers = { 'content-type': 'application/json' }) {
      if (!isAborted) receiver.head(status, headers)
      return opened
    },
    stream: () => opened.head(200, { 'content-type': 'text/event-stream' }),
    data(chunk) {
      if (!isAborted) receiver.data(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      return opened
    },
    end() {
      if (!isAborted) receiver.end()
    },
    fail(error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })) {
      if (!isAborted) receiver.fail(error)
    },
    json(status, value, headers = {}) {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      opened
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
      for (const resolve of resuming.splice(0)) resolve()
    },
    abort() {
      isAborted = true
      resolveAborted()
    },
  }
  return { opened, flow }
}

export function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
}
