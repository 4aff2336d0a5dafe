/** An answer, or what goes wrong with it, as the steps in which it reaches the other side. */
import type { Clock } from '../gateway/clock.ts'
import { errorBody, GatewayError } from '../gateway/errors.ts'
import { streamedAnswer, wholeAnswer } from './completion.ts'
import type { Step } from './delivery.ts'
import { withinLimits } from './limits.ts'
import { planAnswer } from './plan.ts'
import type { DemoRequest } from './read-request.ts'
import { readRequest } from './read-request.ts'

export interface Pace {
  readonly clock: Clock
  readonly pieceSize: number
  readonly delayMs: number
  readonly newId: () => string
}

/** Between two comments of a stream that says nothing else. */
const commentMs = 1000

/** So many events travel together when nothing paces them. */
const eventsPerChunk = 20

export function* answerSteps(body: string | Uint8Array, pace: Pace): Generator<Step> {
  const request = readOrRefuse(body)
  if (request instanceof GatewayError) return yield* errorSteps(request)
  const { behaviour } = request
  if (behaviour === '429') return yield* errorSteps(rateLimited)
  if (behaviour === '500') return yield* errorSteps(broken)
  const plan = withinLimits(planAnswer(request), request)
  const saying = { plan, request, id: pace.newId(), created: Math.floor(pace.clock.date() / 1000) }
  if (request.isStreamed) yield* streamSteps(streamedAnswer(saying, pace.pieceSize), request, pace)
  else {
    // As long as its stream would have taken.
    if (behaviour === 'slow') {
      const pieces = streamedAnswer(saying, pace.pieceSize).length
      yield { kind: 'wait', milliseconds: pieces * pace.delayMs }
    }
    yield* wholeSteps(JSON.stringify(wholeAnswer(saying)), request)
  }
}

function readOrRefuse(body: string | Uint8Array): DemoRequest | GatewayError {
  try {
    return readRequest(body)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

export function* jsonSteps(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): Generator<Step> {
  yield { kind: 'head', status, headers: { 'content-type': 'application/json', ...headers } }
  yield { kind: 'data', text: JSON.stringify(value) }
}

export function* errorSteps(error: GatewayError): Generator<Step> {
  const { value, status } = errorBody(error, 'chat')
  yield* jsonSteps(status, value, { ...error.headers })
}

const rateLimited = new GatewayError('rate_limit', 'Rate limit reached for demo-429. Try again in 1 s.', {
  code: 'rate_limit_exceeded',
  headers: { 'retry-after': '1' },
})
const broken = new GatewayError('server', 'The server had an error. demo-500 always has one.')
const interrupted = new GatewayError('server', 'The model broke off. demo-error-frame always does.')

function connectionReset(): Error {
  return Object.assign(new Error('the other side closed the connection'), { code: 'ECONNRESET' })
}

function* wholeSteps(text: string, { behaviour }: DemoRequest): Generator<Step> {
  const half = text.slice(0, Math.floor(text.length / 2))
  yield { kind: 'head', status: 200, headers: { 'content-type': 'application/json' } }
  switch (behaviour) {
    case 'stall':
      yield { kind: 'data', text: half }
      return yield { kind: 'silence' }
    case 'cut':
      yield { kind: 'data', text: half }
      return yield { kind: 'fail', error: connectionReset() }
    case 'malformed':
      return yield { kind: 'data', text: half }
    case 'error-frame':
      return yield { kind: 'data', text: JSON.stringify(errorBody(interrupted, 'chat').value) }
    default:
      yield { kind: 'data', text }
  }
}

function* streamSteps(events: readonly string[], { behaviour }: DemoRequest, pace: Pace): Generator<Step> {
  yield {
    kind: 'head',
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  }
  // Whatever goes wrong does so after something was said and before the end was.
  const middle = Math.max(1, Math.floor((events.length - 2) / 2))
  const begun = events.slice(0, middle)
  switch (behaviour) {
    case 'slow':
      for (const text of events) {
        yield { kind: 'wait', milliseconds: pace.delayMs }
        yield { kind: 'data', text }
      }
      return
    case 'stall':
      yield* chunks(begun)
      for (;;) {
        yield { kind: 'wait', milliseconds: commentMs }
        yield { kind: 'data', text: ': still here\n\n' }
      }
    case 'cut':
      yield* chunks(begun)
      return yield { kind: 'fail', error: connectionReset() }
    case 'error-frame':
      yield* chunks(begun)
      return yield { kind: 'data', text: `data: ${JSON.stringify(errorBody(interrupted, 'chat').value)}\n\n` }
    case 'malformed':
      return yield* chunks(events.with(middle, halfOf(events[middle] ?? '')))
    default:
      yield* chunks(events)
  }
}

/** The event is whole for a reader of events; only its JSON is not. */
function halfOf(event: string): string {
  return `${event.slice(0, Math.floor(event.length / 2))}\n\n`
}

function* chunks(events: readonly string[]): Generator<Step> {
  for (let i = 0; i < events.length; i += eventsPerChunk)
    yield { kind: 'data', text: events.slice(i, i + eventsPerChunk).join('') }
}
