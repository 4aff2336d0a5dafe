/**
 * An upstream without a network or a key: it speaks Chat Completions, and calls the tool that shares most words with
 * the message. Its answers depend on the request alone, but for their id and date.
 */
import { randomUUID } from 'node:crypto'
import { GatewayError } from '../gateway/errors.ts'
import type { Transport, UpstreamRequest } from '../gateway/http/contract.ts'
import type { Clock } from '../platform/clock.ts'
import { systemClock } from '../platform/clock.ts'
import type { Pace } from './answer-steps.ts'
import { answerSteps, errorSteps, jsonSteps } from './answer-steps.ts'
import type { Step } from './delivery.ts'
import { deliver } from './delivery.ts'
import { demoModels } from './demo-models.ts'

export interface DemoModelOptions {
  /** The time for `demo-slow` and `demo-stall`, and the date of answers. */
  readonly clock?: Clock
  /** Characters in each piece of a stream; 4 by default. */
  readonly pieceSize?: number
  /** How long `demo-slow` takes for each piece; 100 by default. */
  readonly delayMs?: number
  /** Returns a new id for each answer; random by default. */
  readonly newId?: () => string
}

export interface DemoModel {
  readonly transport: Transport
  readonly models: readonly string[]
}

export function createDemoModel(options: DemoModelOptions = {}): DemoModel {
  const { clock = systemClock, pieceSize = 4, delayMs = 100, newId = randomUUID } = options
  if (!Number.isInteger(pieceSize) || pieceSize < 1)
    throw new RangeError(`pieceSize must be a whole number of at least 1; got ${pieceSize}.`)
  if (!(delayMs >= 0)) throw new RangeError(`delayMs must be 0 or more; got ${delayMs}.`)
  const pace = { clock, pieceSize, delayMs, newId }
  return {
    transport: (request, receiver) => deliver(stepsFor(request, pace), receiver, clock),
    models: [...demoModels],
  }
}

function* stepsFor({ method, url, body }: UpstreamRequest, pace: Pace): Generator<Step> {
  const { pathname } = new URL(url)
  if (method === 'POST' && pathname.endsWith('/chat/completions')) yield* answerSteps(body, pace)
  else if (method === 'GET' && pathname.endsWith('/models')) yield* jsonSteps(200, modelList())
  else
    yield* errorSteps(
      new GatewayError(
        'not_found',
        `There is no ${method} ${pathname} here. The demo model answers POST …/chat/completions and GET …/models.`,
        { code: 'unknown_url' },
      ),
    )
}

function modelList(): object {
  const data = demoModels.map(id => ({ id, object: 'model', created: 0, owned_by: 'toolwire' }))
  return { object: 'list', data }
}
