/** One request, from its arrival through a server to its end. */

import type { WireDefinition } from '@toolwire/core'
import type { Clock, Deadline } from '../platform/clock.ts'
import { createDeadline, Stopwatch } from '../platform/clock.ts'
import { Passing } from '../platform/passing.ts'
import type { ExchangeFacts, Observation } from '../telemetry/observer.ts'
import type { GatewayContext, RequestContext } from './context.ts'
import { sendError } from './context.ts'
import { asGatewayError, GatewayError, outOfTime, recordFailure, stalled } from './errors.ts'
import { Abort } from './http/abort.ts'
import { Holding } from './http/byte-budget.ts'
import type { GatewayRequest, Sink } from './http/contract.ts'
import { asksForWebSocket, headerText } from './http/headers.ts'
import { StallTimeoutSink } from './http/stall-timeout-sink.ts'
import { defaultTimeouts } from './settings.ts'
import { noSocketHere } from './sockets/sockets.ts'
import type { TenantRules } from './tenants/rules.ts'

/** The requests that are being answered. */
export class RunningRequests {
  readonly #all = new Passing<Abort>()
  readonly #onIdle: (() => void)[] = []

  get size(): number {
    return this.#all.size
  }

  add(request: Abort): void {
    this.#all.add(request)
  }

  delete(request: Abort): void {
    this.#all.delete(request)
    if (this.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  settled(): Promise<void> {
    return new Promise(resolve => {
      if (this.size === 0) resolve()
      else this.#onIdle.push(resolve)
    })
  }

  abort(reason: GatewayError): void {
    for (const request of [...this.#all]) request.abort(reason)
  }
}

export async function handleRequest(
  gateway: GatewayContext,
  running: RunningRequests,
  request: GatewayRequest,
  sink: Sink,
): Promise<void> {
  const controller = new Abort()
  const { clientStallMs: stallMs } = gateway.limits
  const onStall = (): void => controller.abort(stalled(stallMs))
  const watched = new StallTimeoutSink(sink, { clock: gateway.clock, stallMs, onStall })
  const onAbort = (): void => {
    const { reason } = request.signal
    // A client that gives a reason is still there to be told the end.
    const isThere = reason instanceof GatewayError
    if (!isThere) watched.leave()
    controller.abort(isThere ? reason : undefined)
  }
  request.signal.addEventListener('abort', onAbort)
  if (request.signal.aborted) onAbort()
  running.add(controller)
  try {
    await answerRequest(gateway, request, watched, controller)
  } catch {
    // Not even the failure could be sent; other requests must not suffer from it.
    sink.cut?.()
  } finally {
    request.signal.removeEventListener('abort', onAbort)
    running.delete(controller)
  }
}

/** One request from its arrival to its end. Whatever goes wrong on the way is reported to the client. */
async function answerRequest(
  gateway: GatewayContext,
  request: GatewayRequest,
  sink: StallTimeoutSink,
  controller: Abort,
): Promise<void> {
  const id = gateway.newId('req_')
  const observation = gateway.observer.begin({
    id,
    route: 'unknown',
    at: gateway.clock.date(),
    startedAt: gateway.clock.now(),
  })
  const { facts } = observation
  let context: RequestContext | undefined
  let isAdmitted = false
  let share = ''
  facts.target = `${request.method} ${pathOf(request.target)}`.slice(0, 200)
  const wire = gateway.routes.wireOf(request.target, request.headers)
  const headers = answerHeaders(id, wire)
  if (request.headers.origin !== undefined) Object.assign(headers, gateway.guard.corsHeaders(request))
  const limit = new TimeLimit(gateway.clock, controller)
  limit.set(defaultTimeouts.totalMs)
  try {
    // A browser sends its preflight without a key.
    const isOpen = gateway.routes.isOpen(request.target) || request.method === 'OPTIONS'
    const admission = gateway.guard.admit(request, isOpen)
    const { owner, isOperator } = admission
    noteSender(facts, owner, request)
    if (request.method === 'OPTIONS') {
      facts.route = 'OPTIONS'
      facts.status = 204
      return preflight(request, sink, headers)
    }
    const match = matchOf(gateway, request)
    facts.route = match.label
    gateway.guard.authorize(admission, match.route.operators)
    // Where no key is required, a client can take as many names as it likes.
    share = gateway.guard.asksForKeys && match.route.open !== true ? owner : 'anonymous'
    if (match.route.unlimited !== true) {
      const turn = gateway.admission.enter(share, controller)
      if (turn !== undefined) await turn
      isAdmitted = true
    }
    context = {
      route: match.route,
      params: match.params,
      query: match.query,
      gateway,
      request,
      sink,
      observation,
      wire,
      owner,
      share,
      tenant: noteTenant(facts, gateway.tenants.of(share)),
      charge: undefined,
      memory: new Holding(gateway.memory, share),
      stopwatch: new Stopwatch(gateway.clock.now),
      isOperator,
      id,
      headers,
      signal: controller,
      limit,
    }
    await match.route.handle(context)
  } catch (error) {
    const failure = asGatewayError(error)
    recordFailure(facts, failure)
    const { upstream } = facts
    const known =
      upstream === undefined ? headers : { ...headers, 'x-toolwire-upstream': headerText(upstream) }
    sendError({ sink, headers: known, observation, wire }, failure)
  } finally {
    if (isAdmitted) gateway.admission.leave(share)
    if (context !== undefined) giveBack(context, sink)
    limit.stop()
    endObservation(observation, gateway.clock.now())
  }
}

function endObservation(observation: Observation, now: number): void {
  const { facts } = observation
  facts.totalMs ??= now - facts.startedAt
  facts.overheadMs ??= facts.totalMs
  observation.end()
}

/** What a request took of the memory, and of what its key may use. */
function giveBack({ memory, charge, observation }: RequestContext, sink: StallTimeoutSink): void {
  sink.onFlushed(() => memory.release())
  if (charge?.isDetached === false) charge.settle(observation.facts)
}

function noteTenant(facts: ExchangeFacts, tenant: TenantRules | undefined): TenantRules | undefined {
  if (tenant !== undefined) facts.tenant = tenant.name
  return tenant
}

/**
 * Each family of clients looks for the id under a name of its own. And no page of another origin may load an answer as a
 * script, an image or a frame, whatever it takes it for.
 */
function answerHeaders(id: string, { service }: WireDefinition): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  }
  for (const name of service.http.requestId.headers) headers[name] = id
  return headers
}

function pathOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? target : target.slice(0, at)
}

/** The limit is set again once the upstream is known; mostly it is the same, and then no timer is made. */
class TimeLimit {
  readonly #clock: Clock
  readonly #controller: Abort
  #milliseconds: number | undefined
  #deadline: Deadline | undefined

  constructor(clock: Clock, controller: Abort) {
    this.#clock = clock
    this.#controller = controller
  }

  set(milliseconds: number): void {
    if (milliseconds === this.#milliseconds) this.#deadline?.touch()
    else {
      this.stop()
      this.#milliseconds = milliseconds
      const onOver = (): void => this.#controller.abort(outOfTime(milliseconds))
      this.#deadline = createDeadline(this.#clock, milliseconds, onOver)
    }
  }

  stop(): void {
    this.#deadline?.stop()
  }
}

/** Of `codex_cli_rs/0.40 (Linux)` the name is `codex_cli_rs`. A page cannot change its browser's `user-agent`. */
function noteSender(facts: ExchangeFacts, owner: string, { headers, lane }: GatewayRequest): void {
  const agent = headers['x-toolwire-client'] ?? headers['user-agent'] ?? ''
  facts.owner = owner
  if (lane !== undefined) facts.lane = lane
  facts.client = /^[^\s/(]*/.exec(agent.slice(0, 100))?.[0] ?? ''
}

function preflight(request: GatewayRequest, sink: Sink, headers: Readonly<Record<string, string>>): void {
  sink.head(204, {
    ...headers,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
    'access-control-max-age': '600',
  })
  sink.end()
}

/** A client that wants a socket goes on without one when it is told so, and tries again when the method is blamed. */
function matchOf(
  { routes }: GatewayContext,
  request: GatewayRequest,
): ReturnType<GatewayContext['routes']['match']> {
  try {
    return routes.match(request.method, request.target)
  } catch (error) {
    const isMethod = error instanceof GatewayError && error.code === 'method_not_allowed'
    throw isMethod && asksForWebSocket(request.headers) ? noSocketHere() : error
  }
}
