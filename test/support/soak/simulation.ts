/** A complete simulation from one seed: clients, a gateway, upstreams of each wire, a store and tools, on one clock. */
import { createHash } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { sendTo } from '../faults/request.ts'
import { wires } from '../faults/wires.ts'
import type { Conditions, Ending } from './check.ts'
import { checkExchange, checkStored } from './check.ts'
import type { SoakClient } from './client.ts'
import { keyOf, startClient } from './client.ts'
import { createSimulationClock } from './clock.ts'
import { watchSignals } from './leaks.ts'
import type { Plan } from './plan.ts'
import { makePlan } from './plan.ts'
import { createRandom } from './random.ts'
import type { Continuation, SoakExchange } from './state.ts'
import { createSimulationState, createSoakExchange } from './state.ts'
import { createSoakStore } from './store.ts'
import { createSoakTools } from './tools.ts'
import { createSoakTransport } from './upstream.ts'

export interface SimulationOptions {
  readonly seed: number
  readonly exchanges: number
  readonly hasTools: boolean
  readonly storesResponses: boolean
  readonly faultRate: number
  /** The gateway is stopped while clients are still starting. */
  readonly drains: boolean
  /** The time over which the clients start. */
  readonly spreadMs?: number
}

export interface SimulationReport {
  readonly violations: readonly string[]
  readonly exchanges: number
  readonly endings: { readonly [E in Ending]: number }
  /** The largest number of simultaneous exchanges. */
  readonly mostActive: number
  readonly faults: ReadonlySet<string>
  readonly toolRuns: number
  readonly saved: number
  /** The answers of all clients, for comparing two runs. */
  readonly transcript: string
}

const drainMs = 15_000
/** Up to three consecutive timeouts of a store that does not answer. */
const storesMs = 30_000
const ended: ReadonlySet<string> = new Set(['completed', 'incomplete', 'failed', 'cancelled'])
const timeouts = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 30_000, pingMs: 60_000, totalMs: 400_000 }
/** Enough for an exchange and its continuation, whatever deadlines they reach. */
const settleMs = 3 * timeouts.totalMs

export async function runSimulation(options: SimulationOptions): Promise<SimulationReport> {
  const { seed, exchanges: count, hasTools, storesResponses, faultRate, drains, spreadMs = 60_000 } = options
  const random = createRandom(seed)
  const clock = createSimulationClock()
  const [timers, gatewayTimers] = [clock.group(), clock.group()]
  const exchanges = new Map<number, SoakExchange>()
  const state = createSimulationState(timers, exchanges)
  const clients: SoakClient[] = []
  const store = createSoakStore(
    createMemoryStore({ now: gatewayTimers.date, maxRecords: 100_000 }),
    timers,
    random.fork(-1),
    faultRate / 20,
  )
  const { tools, runs } = createSoakTools(timers, random.fork(-2), faultRate)
  const signals = watchSignals()
  let ids = 0
  const gateway = createGateway({
    upstreams: wires.map(
      (wire): Upstream => ({
        name: wire,
        wire,
        baseUrl: `http://${wire}.test/v1`,
        models: [`${wire}-*`],
        timeouts,
        transport: createSoakTransport(wire, state),
        ...(storesResponses && { state: 'gateway' }),
      }),
    ),
    store,
    clock: gatewayTimers,
    random: random.fork(-3).next,
    newId: prefix => `${prefix}${++ids}`,
    heartbeatMs: 5_000,
    toolTimeoutMs: 10_000,
    limits: { clientStallMs: 60_000 },
    ...(hasTools && { tools }),
  })

  const conditions = ({ client, upstream }: Plan): Conditions => ({
    isPassthrough: client === upstream && !hasTools && !(client === 'responses' && storesResponses),
    storeFailed: store.failures > 0,
    isDrained: drains,
  })
  const endings = { good: 0, failed: 0, refused: 0, left: 0 }
  const faults = new Set<string>()
  let mostActive = 0

  const start = (plan: Plan, continues?: Continuation): void => {
    const exchange = createSoakExchange(plan, continues)
    exchanges.set(plan.n, exchange)
    const client = startClient({ state, gateway, exchange, onWrite: text => checkSaved(exchange, text) })
    clients.push(client)
    mostActive = Math.max(mostActive, gateway.active)
    void client.done.then(() => continueLater(client))
  }
  /** When a client receives the terminal event, the response must already be stored, so that it can be continued. */
  const checkSaved = (exchange: SoakExchange, text: string): void => {
    if (!exchange.plan.stores || exchange.plan.form !== 'streamed') return
    const id = /"type":"response\.completed".*?"id":"(resp_\w+)"/.exec(text)?.[1]
    if (id !== undefined && store.saved.get(id)?.status !== 'completed')
      state.report(exchange, `${id} was sent as complete before it was stored`)
  }
  const continueLater = (client: SoakClient): void => {
    const { plan, continues } = client.exchange
    if (plan.form === 'background') {
      cancelLater(client)
      return
    }
    if (plan.next === 'nothing' || continues !== undefined) return
    const { ending, answer } = checkExchange(client, conditions(plan))
    if (ending !== 'good' || answer === undefined) return
    const n = plan.n + count
    const next = makePlan(n, random.fork(n), { hasTools, faultRate, spreadMs, storesResponses })
    const owner = plan.next === 'own' ? plan.owner : plan.owner + 1
    start(
      {
        ...next,
        client: 'responses',
        upstream: plan.upstream,
        form: 'streamed',
        stores: true,
        ...fitting(next, plan),
      },
      { from: plan, answer, owner },
    )
  }

  const cancelLater = ({ exchange, status, isGone, text }: SoakClient): void => {
    const { random: own } = exchange.plan
    if (status !== 200 || isGone || own.chance(0.5)) return
    const target = `/v1/responses/${(JSON.parse(text) as { id: string }).id}/cancel`
    const headers = { authorization: `Bearer ${keyOf(exchange)}` }
    timers.after(own.below(5_000), () => {
      const cancelling = sendTo(gateway, target, { method: 'POST', headers })
      void cancelling.done.then(() => {
        const { status: answered } = cancelling.status === 200 ? cancelling.json() : {}
        if (!ended.has(String(answered)) && store.failures === 0)
          state.report(exchange, `cancelling gave ${cancelling.status} ${cancelling.text}`)
      })
    })
  }

  for (let n = 0; n < count; n++) {
    const plan = makePlan(n, random.fork(n), { hasTools, faultRate, spreadMs, storesResponses })
    timers.after(plan.at, () => start(plan))
  }
  const stopping = { isOver: !drains }
  if (drains) {
    timers.after(random.between(spreadMs >> 2, spreadMs), () => {
      const begun = clock.now()
      void gateway.drain(drainMs).then(() => {
        stopping.isOver = true
        if (clock.now() - begun > drainMs + storesMs)
          state.violations.push(`stopping took ${clock.now() - begun} ms`)
        // New requests may still be refused, and blocked clients may still read the end of their answer.
        const blocked = clients.filter(({ isBlocked }) => isBlocked).length
        if (gatewayTimers.waiting > gateway.active + blocked)
          state.violations.push(`${gatewayTimers.waiting} timers wait although the gateway has stopped`)
      })
    })
  }
  await clock.runUntil(spreadMs)
  store.recover()
  await clock.runUntil(spreadMs + settleMs)

  for (const client of clients) {
    const { exchange } = client
    const { plan } = exchange
    const result = checkExchange(client, conditions(plan))
    for (const fault of result.faults) state.report(exchange, fault)
    endings[result.ending]++
    for (const kind of [...plan.failures, plan.fault?.kind, plan.behaviour]) faults.add(String(kind))
    if (client.signal.aborted === false && getEventListeners(client.signal, 'abort').length > 0)
      state.report(exchange, 'a listener is left on the signal of the client')
    for (const wrong of checkStored(exchange, result.ending, store, ownerOf(exchange)))
      state.report(exchange, wrong)
  }
  checkEnd()
  await gateway.drain(drainMs)
  await gateway.close()
  return {
    violations: state.violations,
    exchanges: clients.length,
    endings,
    mostActive,
    faults,
    toolRuns: runs.size,
    saved: store.saved.size,
    transcript: clients
      .map(({ exchange, status, text }) => `${exchange.plan.n} ${status} ${text}`)
      .join('\n'),
  }

  function checkEnd(): void {
    const wrong = state.violations
    if (gateway.active !== 0) wrong.push(`${gateway.active} requests are still being answered`)
    if (gatewayTimers.waiting !== 0) wrong.push(`${gatewayTimers.waiting} timers of the gateway still wait`)
    if (!stopping.isOver) wrong.push('the gateway never finished stopping')
    for (const [token, count] of runs) if (count > 1) wrong.push(`the call ${token} was run ${count} times`)
    const listening = signals.stop()
    if (listening > 0) wrong.push(`${listening} listeners are left on signals that never abort`)
  }
}

/** Replaces planned calls that the upstream of the first exchange does not support. */
function fitting(next: Plan, { upstream }: Plan): Pick<Plan, 'turns'> {
  const turns = next.turns.map(({ text, calls }) => ({
    text,
    calls: calls.map(call =>
      call.tool === 'patch' && upstream === 'responses' ? { ...call, tool: 'weather' as const } : call,
    ),
  }))
  return { turns }
}

/** The owner id that the gateway's guard derives from the client's key. */
const ownerOf = (exchange: SoakExchange): string => createHash('sha256').update(keyOf(exchange)).digest('hex')
