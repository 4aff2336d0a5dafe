/** A complete simulation from one seed: clients, a gateway, upstreams of each wire, a store and tools, on one clock. */
import { createHash } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { visit } from '../faults/request.ts'
import { wires } from '../faults/wires.ts'
import type { Visitor } from './client.ts'
import { keyOf, sendVisitor } from './client.ts'
import { createWorldClock } from './clock.ts'
import type { Circumstances, Ending } from './judge.ts'
import { judgeStored, judgeVisit } from './judge.ts'
import { watchSignals } from './leaks.ts'
import type { Plan } from './plan.ts'
import { makePlan } from './plan.ts'
import { createRandom } from './random.ts'
import type { Continuation, Course } from './scene.ts'
import { createCourse, createScene } from './scene.ts'
import { createSoakStore } from './store.ts'
import { createSoakTools } from './tools.ts'
import { createSoakTransport } from './upstream.ts'

export interface WorldOptions {
  readonly seed: number
  readonly exchanges: number
  readonly hasTools: boolean
  readonly keepsResponses: boolean
  readonly malice: number
  /** The gateway is stopped while clients are still starting. */
  readonly drains: boolean
  /** The time over which the clients start. */
  readonly spreadMs?: number
}

export interface WorldReport {
  readonly violations: readonly string[]
  readonly exchanges: number
  readonly endings: { readonly [E in Ending]: number }
  /** The largest number of simultaneous exchanges. */
  readonly mostActive: number
  readonly faults: ReadonlySet<string>
  readonly toolRuns: number
  readonly kept: number
  /** The answers of all clients, for comparing two runs. */
  readonly transcript: string
}

const drainMs = 15_000
/** Up to three consecutive timeouts of a store that does not answer. */
const storesMs = 30_000
const ended: ReadonlySet<string> = new Set(['completed', 'incomplete', 'failed', 'cancelled'])
const timeouts = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 30_000, totalMs: 400_000 }
/** Enough for an exchange and its continuation, whatever deadlines they reach. */
const settleMs = 3 * timeouts.totalMs

export async function runWorld(options: WorldOptions): Promise<WorldReport> {
  const { seed, exchanges, hasTools, keepsResponses, malice, drains, spreadMs = 60_000 } = options
  const random = createRandom(seed)
  const clock = createWorldClock()
  const [world, gatewayLane] = [clock.lane(), clock.lane()]
  const courses = new Map<number, Course>()
  const scene = createScene(world, courses)
  const visitors: Visitor[] = []
  const store = createSoakStore(
    createMemoryStore({ now: gatewayLane.date, maxRecords: 100_000 }),
    world,
    random.fork(-1),
    malice / 20,
  )
  const { tools, runs } = createSoakTools(world, random.fork(-2), malice)
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
        transport: createSoakTransport(wire, scene),
        ...(keepsResponses && { state: 'gateway' }),
      }),
    ),
    store,
    clock: gatewayLane,
    random: random.fork(-3).next,
    newId: prefix => `${prefix}${++ids}`,
    heartbeatMs: 5_000,
    toolTimeoutMs: 10_000,
    limits: { clientStallMs: 60_000 },
    ...(hasTools && { tools }),
  })

  const circumstances = ({ client, upstream }: Plan): Circumstances => ({
    isPassthrough: client === upstream && !hasTools && !(client === 'responses' && keepsResponses),
    storeFailed: store.troubles > 0,
    isDrained: drains,
  })
  const endings = { good: 0, failed: 0, refused: 0, left: 0 }
  const faults = new Set<string>()
  let mostActive = 0

  const start = (plan: Plan, continues?: Continuation): void => {
    const course = createCourse(plan, continues)
    courses.set(plan.n, course)
    const visitor = sendVisitor({ scene, gateway, course, onWrite: text => checkStored(course, text) })
    visitors.push(visitor)
    mostActive = Math.max(mostActive, gateway.active)
    void visitor.done.then(() => continueLater(visitor))
  }
  /** When a client receives the terminal event, the response must already be stored, so that it can be continued. */
  const checkStored = (course: Course, text: string): void => {
    if (!course.plan.keeps || course.plan.form !== 'streamed') return
    const id = /"type":"response\.completed".*?"id":"(resp_\w+)"/.exec(text)?.[1]
    if (id !== undefined && store.kept.get(id)?.status !== 'completed')
      scene.blame(course, `${id} was sent as complete before it was stored`)
  }
  const continueLater = (visitor: Visitor): void => {
    const { plan, continues } = visitor.course
    if (plan.form === 'background') {
      cancelLater(visitor)
      return
    }
    if (plan.next === 'nothing' || continues !== undefined) return
    const { ending, understood } = judgeVisit(visitor, circumstances(plan))
    if (ending !== 'good' || understood === undefined) return
    const n = plan.n + exchanges
    const next = makePlan(n, random.fork(n), { hasTools, malice, spreadMs, keepsResponses })
    const owner = plan.next === 'own' ? plan.owner : plan.owner + 1
    start(
      {
        ...next,
        client: 'responses',
        upstream: plan.upstream,
        form: 'streamed',
        keeps: true,
        ...fitting(next, plan),
      },
      { from: plan, understood, owner },
    )
  }

  const cancelLater = ({ course, status, isGone, text }: Visitor): void => {
    const { random: own } = course.plan
    if (status !== 200 || isGone || own.chance(0.5)) return
    const target = `/v1/responses/${(JSON.parse(text) as { id: string }).id}/cancel`
    const headers = { authorization: `Bearer ${keyOf(course)}` }
    world.after(own.below(5_000), () => {
      const cancelling = visit(gateway, target, { method: 'POST', headers })
      void cancelling.done.then(() => {
        const { status: answered } = cancelling.status === 200 ? cancelling.json() : {}
        if (!ended.has(String(answered)) && store.troubles === 0)
          scene.blame(course, `cancelling gave ${cancelling.status} ${cancelling.text}`)
      })
    })
  }

  for (let n = 0; n < exchanges; n++) {
    const plan = makePlan(n, random.fork(n), { hasTools, malice, spreadMs, keepsResponses })
    world.after(plan.at, () => start(plan))
  }
  const stopping = { isOver: !drains }
  if (drains) {
    world.after(random.between(spreadMs >> 2, spreadMs), () => {
      const begun = clock.now()
      void gateway.drain(drainMs).then(() => {
        stopping.isOver = true
        if (clock.now() - begun > drainMs + storesMs)
          scene.violations.push(`stopping took ${clock.now() - begun} ms`)
        // New requests may still be refused, and blocked clients may still read the end of their answer.
        const blocked = visitors.filter(({ isBlocked }) => isBlocked).length
        if (gatewayLane.waiting > gateway.active + blocked)
          scene.violations.push(`${gatewayLane.waiting} timers wait although the gateway has stopped`)
      })
    })
  }
  await clock.runUntil(spreadMs)
  store.heal()
  await clock.runUntil(spreadMs + settleMs)

  for (const visitor of visitors) {
    const { course } = visitor
    const { plan } = course
    const verdict = judgeVisit(visitor, circumstances(plan))
    for (const fault of verdict.faults) scene.blame(course, fault)
    endings[verdict.ending]++
    for (const kind of [...plan.troubles, plan.fault?.kind, plan.mood]) faults.add(String(kind))
    if (visitor.signal.aborted === false && getEventListeners(visitor.signal, 'abort').length > 0)
      scene.blame(course, 'a listener is left on the signal of the client')
    for (const wrong of judgeStored(course, verdict.ending, store, ownerOf(course)))
      scene.blame(course, wrong)
  }
  judgeWorld()
  await gateway.drain(drainMs)
  await gateway.close()
  return {
    violations: scene.violations,
    exchanges: visitors.length,
    endings,
    mostActive,
    faults,
    toolRuns: runs.size,
    kept: store.kept.size,
    transcript: visitors.map(({ course, status, text }) => `${course.plan.n} ${status} ${text}`).join('\n'),
  }

  function judgeWorld(): void {
    const wrong = scene.violations
    if (gateway.active !== 0) wrong.push(`${gateway.active} requests are still being answered`)
    if (gatewayLane.waiting !== 0) wrong.push(`${gatewayLane.waiting} timers of the gateway still wait`)
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
const ownerOf = (course: Course): string => createHash('sha256').update(keyOf(course)).digest('hex')
