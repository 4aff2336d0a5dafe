/** An answer, or the way in which it fails, as the steps in which the receiver gets it. */

import { errorBody, GatewayError } from '../gateway/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { applyLimits, completionBody, completionEvents } from './completion.ts'
import type { Step } from './delivery.ts'
import type { Behaviour } from './demo-models.ts'
import { planAnswer } from './plan.ts'
import { readRequest } from './read-request.ts'

export interface Pace {
  readonly clock: Clock
  readonly pieceSize: number
  readonly delayMs: number
  readonly newId: () => string
}

/** Between two comments of a stalled stream. */
const commentMs = 1000

/** Events that share a chunk when nothing paces them. */
const eventsPerChunk = 20

const rateLimited = new GatewayError('rate_limit', 'Rate limit reached for demo-429. Try again in 1 s.', {
  code: 'rate_limit_exceeded',
  headers: { 'retry-after': '1' },
})
const serverFailed = new GatewayError('server', 'The server had an error. demo-500 always has one.')
const interrupted = new GatewayError('server', 'The model broke off. demo-error-frame always does.')

export function* answerSteps(body: string | Uint8Array, pace: Pace): Generator<Step> {
  try {
    yield* completionSteps(body, pace)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    yield* errorSteps(error)
  }
}

/** Throws the error of a request that is refused before it yields a step. */
function* completionSteps(body: string | Uint8Array, pace: Pace): Generator<Step> {
  const request = readRequest(body)
  const { behaviour } = request
  if (behaviour === '429') throw rateLimited
  if (behaviour === '500') throw serverFailed
  const plan = applyLimits(planAnswer(request), request)
  const created = Math.floor(pace.clock.date() / 1000)
  const completion = { plan, request, id: pace.newId(), created }
  const events = completionEvents(completion, pace.pieceSize)
  if (request.isStreamed) return yield* streamSteps(events, behaviour, pace)
  // As long as the stream would take.
  if (behaviour === 'slow') yield { kind: 'wait', milliseconds: events.length * pace.delayMs }
  yield* bodySteps(JSON.stringify(completionBody(completion)), behaviour)
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

function* bodySteps(body: string, behaviour: Behaviour): Generator<Step> {
  yield { kind: 'head', status: 200, headers: { 'content-type': 'application/json' } }
  if (behaviour === 'error-frame') return yield { kind: 'data', text: interruptedText() }
  const isCutShort = ['stall', 'cut', 'malformed'].includes(behaviour)
  yield { kind: 'data', text: isCutShort ? body.slice(0, body.length / 2) : body }
  if (behaviour === 'stall') yield { kind: 'silence' }
  if (behaviour === 'cut') yield connectionReset()
}

function* streamSteps(events: readonly string[], behaviour: Behaviour, pace: Pace): Generator<Step> {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
  yield { kind: 'head', status: 200, headers }
  // Faults come after some content and before the finish.
  const middle = Math.max(1, Math.floor((events.length - 2) / 2))
  switch (behaviour) {
    case 'slow':
      for (const text of events) {
        yield { kind: 'wait', milliseconds: pace.delayMs }
        yield { kind: 'data', text }
      }
      return
    case 'stall':
      yield* chunks(events.slice(0, middle))
      for (;;) {
        yield { kind: 'wait', milliseconds: commentMs }
        yield { kind: 'data', text: ': still here\n\n' }
      }
    case 'cut':
      yield* chunks(events.slice(0, middle))
      return yield connectionReset()
    case 'error-frame':
      yield* chunks(events.slice(0, middle))
      return yield { kind: 'data', text: `data: ${interruptedText()}\n\n` }
    case 'malformed': {
      // The frame of the event is complete; its JSON is not.
      const event = events[middle] ?? ''
      return yield* chunks(events.with(middle, `${event.slice(0, event.length / 2)}\n\n`))
    }
    default:
      yield* chunks(events)
  }
}

function* chunks(events: readonly string[]): Generator<Step> {
  for (let i = 0; i < events.length; i += eventsPerChunk)
    yield { kind: 'data', text: events.slice(i, i + eventsPerChunk).join('') }
}

function interruptedText(): string {
  return JSON.stringify(errorBody(interrupted, 'chat').value)
}

function connectionReset(): Step {
  const error = Object.assign(new Error('the other side closed the connection'), { code: 'ECONNRESET' })
  return { kind: 'fail', error }
}
