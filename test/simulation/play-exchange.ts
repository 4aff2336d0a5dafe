/** One exchange of a client with a gateway, from the request to the judgement of its answer. */
import { paths } from '../support/faults/wires.ts'
import { bodyOf } from '../support/soak/bodies.ts'
import { uncounted } from '../support/soak/json-work.ts'
import type { Plan } from '../support/soak/plan.ts'
import { describePlan, isBackground } from '../support/soak/plan.ts'
import type { ReadAnswer } from '../support/soak/reader.ts'
import type { Conditions, Ending } from './checks/exchanges.ts'
import { judgeExchange } from './checks/exchanges.ts'
import type { Process } from './cluster.ts'
import type { World } from './contract.ts'
import type { Continuation, ExchangeState } from './exchange-state.ts'
import { createExchangeState } from './exchange-state.ts'
import type { Entry } from './ledger.ts'
import type { Call, Received } from './network.ts'
import { send } from './network.ts'

export interface PlayOptions {
  readonly continues?: Continuation
  /** More fields of the request. */
  readonly more?: object
  readonly preferred?: Process | undefined
  /** How the request is sent, if not by itself. */
  readonly via?: (call: Call) => Promise<Received | undefined>
}

export interface Played {
  readonly exchange: ExchangeState
  readonly ending: Ending
  /** `undefined` when no gateway took the connection. */
  readonly received: Received | undefined
  readonly answer?: ReadAnswer | undefined
  /** Its stored response, if its id is known. */
  readonly entry?: Entry | undefined
}

export async function playExchange(world: World, plan: Plan, options: PlayOptions = {}): Promise<Played> {
  const { continues, more = {}, preferred, via = call => send(world, call) } = options
  const exchange = createExchangeState(plan, continues)
  const name = describePlan(plan)
  world.exchanges.set(plan.n, exchange)
  const received = await via({
    name,
    owner: plan.owner,
    method: 'POST',
    target: paths[plan.client],
    body: { ...bodyOf(plan, continues?.answer), ...more },
    behaviour: plan.behaviour,
    leavesAfter: plan.leavesAfter,
    rounds: plan.turns.length,
    random: plan.random,
    preferred,
    onText: text => checkSaved(world, plan, text),
    onLeave() {
      if (isBackground(plan)) return
      world.clock.after(100, () => {
        if (exchange.flows.some(({ how }) => how === 'open'))
          world.report(`${name}: the upstream still answers 100 ms after the client has left`)
      })
    },
  })
  world.count(`client ${plan.behaviour}`)
  for (const kind of [...plan.failures, ...(plan.fault === undefined ? [] : [plan.fault.kind])])
    world.count(`upstream ${kind}`)
  if (received === undefined) return { exchange, received, ending: 'refused' }
  const conditions = conditionsOf(world, exchange, 'thread' in more, options.via !== undefined)
  const { ending, faults, answer } = uncounted(() => judgeExchange(exchange, received, conditions))
  for (const fault of faults) world.report(`${name} at ${received.process.name}: ${fault}`)
  world.count(`ending ${received.how === 'whole' ? ending : received.how}`)
  const id = answer?.responseId
  const isHeld = plan.client === 'responses' && plan.upstream === 'responses' && !plan.stores
  if (isHeld && id !== undefined) world.heldIds.push({ id, owner: plan.owner })
  return { exchange, ending, received, answer, entry: enter(world, exchange, received, ending, answer) }
}

function conditionsOf(
  { settings, tally, ledger }: World,
  exchange: ExchangeState,
  isThreaded: boolean,
  isOnSocket: boolean,
): Conditions {
  const { hasTools, storesResponses } = settings
  const { client, upstream } = exchange.plan
  const earlier = new Set<ExchangeState>()
  for (let next = exchange.continues; next !== undefined; next = next.from.continues) earlier.add(next.from)
  return {
    isPassthrough:
      client === upstream && !hasTools && !isThreaded && !(client === 'responses' && storesResponses),
    storeFailed: ['fails', 'stalls'].some(kind => tally.has(`store ${kind}`)),
    isDrained: tally.has('drain'),
    isScarce: settings.memoryBytes < 1_000_000,
    isOnSocket,
    isThreaded: isThreaded && exchange.continues !== undefined,
    isErased: ledger.entries.some(entry => earlier.has(entry.exchange) && entry.deletion !== 'none'),
  }
}

/** When a client receives the terminal event, the response must already be stored, so that it can be continued. */
function checkSaved(world: World, { stores, n }: Plan, text: string): void {
  if (!stores || !text.includes('"type":"response.completed"')) return
  const id = /"type":"response\.completed".*?"id":"(resp_\w+)"/.exec(text)?.[1]
  if (id !== undefined && world.store.peek(id)?.status !== 'completed')
    world.report(`${id} of exchange ${n} was sent as complete before it was stored`)
}

function enter(
  world: World,
  exchange: ExchangeState,
  { startedAt }: Received,
  ending: Ending,
  answer: ReadAnswer | undefined,
): Entry | undefined {
  const { plan } = exchange
  const id = answer?.responseId
  if (!plan.stores || id === undefined) return undefined
  const isEnded = plan.form !== 'background' && ending !== 'left' && answer?.end !== 'cut'
  const status = ending === 'good' ? 'completed' : 'failed'
  return world.ledger.add({
    id,
    exchange,
    sentAt: startedAt,
    isAcknowledged: isBackground(plan) || ending === 'good',
    final: isEnded ? { status, at: world.clock.now() } : undefined,
  })
}
