/** Plans one exchange of a simulation at random: its turns, its faults and the behaviour of its client. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { wires } from '../faults/wires.ts'
import type { Random } from './random.ts'

export interface PlannedCall {
  /** Part of an offered tool's name, which the conversion may lengthen or shorten. */
  readonly tool: 'weather' | 'patch' | 'lookup' | 'search'
  readonly token: string
}

interface PlannedTurn {
  readonly text: string
  readonly calls: readonly PlannedCall[]
}

/** What an attempt at the upstream gets instead of an answer. */
export type Failure = 429 | 'later' | 500 | 503 | 529 | 400 | 'page' | 'unreachable' | 'refused' | 'mute'

export const faultKinds = ['cut', 'eof', 'stall', 'pings', 'error', 'malformed'] as const

/** A fault inside an answer: its turn, and its position in the events from 0 to 1. */
export interface Fault {
  readonly kind: (typeof faultKinds)[number]
  readonly turn: number
  readonly where: number
  /** One event before it is malformed too. */
  readonly isSecond: boolean
}

export type Behaviour = 'calm' | 'slow' | 'frozen' | 'leaves' | 'leaves early'
type Form = 'streamed' | 'whole' | 'background' | 'background stream'

export interface Plan {
  readonly n: number
  readonly client: Wire
  readonly upstream: Wire
  readonly form: Form
  readonly owner: number
  readonly stores: boolean
  readonly turns: readonly PlannedTurn[]
  readonly failures: readonly Failure[]
  readonly fault: Fault | undefined
  readonly behaviour: Behaviour
  /** The upstream streams if and only if it was not asked to. */
  readonly streamsWrongly: boolean
  /** The upstream keeps the connection open after the last event. */
  readonly lingers: boolean
  /** For a client that leaves: how long after its request. */
  readonly leavesAfter: number
  readonly random: Random
}

export interface PlanOptions {
  readonly hasTools: boolean
  /** The share of exchanges with a fault. */
  readonly faultRate: number
  readonly storesResponses: boolean
}

/** What is not left to chance. */
export type Fixed = Partial<Pick<Plan, 'client' | 'upstream' | 'form' | 'owner' | 'stores' | 'behaviour'>>

const [firstWire, ...otherWires] = wires
const anyWire: readonly [Wire, ...Wire[]] = [firstWire ?? 'chat', ...otherWires]

export const isBackground = ({ form }: Pick<Plan, 'form'>): boolean =>
  form === 'background' || form === 'background stream'

export function makePlan(n: number, random: Random, options: PlanOptions, fixed: Fixed = {}): Plan {
  const { faultRate } = options
  const { client = random.pick(anyWire) } = fixed
  const { upstream = random.chance(0.2) ? client : random.pick(anyWire) } = fixed
  const { owner = random.below(5) } = fixed
  const turns = makeTurns({ n, owner, client, upstream }, random, options)
  const hasState = client === 'responses' && (upstream !== 'responses' || options.storesResponses)
  const { stores = hasState && random.chance(0.8) } = fixed
  const { form = random.chance(0.8) ? 'streamed' : 'whole' } = fixed
  return {
    n,
    client,
    upstream,
    form,
    owner,
    stores,
    turns,
    failures: random.chance(faultRate / 2)
      ? Array.from({ length: random.between(1, 3) }, () => pickFailure(random))
      : [],
    fault: random.chance(faultRate)
      ? {
          kind: random.pick(faultKinds),
          turn: random.below(turns.length),
          where: random.next(),
          isSecond: random.chance(0.2),
        }
      : undefined,
    behaviour: fixed.behaviour ?? pickBehaviour(random, faultRate, form),
    streamsWrongly: random.chance(faultRate / 5),
    lingers: random.chance(faultRate / 3),
    leavesAfter: random.chance(0.3) ? random.below(50) : random.below(20_000),
    random,
  }
}

function pickFailure(random: Random): Failure {
  return random.pick([429, 429, 'later', 500, 503, 529, 400, 'page', 'unreachable', 'refused', 'mute'])
}

function pickBehaviour(random: Random, faultRate: number, form: Form): Behaviour {
  if (random.chance(faultRate / 3)) return random.chance(0.85) ? 'leaves' : 'leaves early'
  if (form === 'whole' || form === 'background' || !random.chance(faultRate)) return 'calm'
  return random.chance(0.85) ? 'slow' : 'frozen'
}

/** Stands in every text of an exchange, so that a text that reaches another owner is found. */
export const markOf = ({ owner, n }: Pick<Plan, 'owner' | 'n'>): string => `@${owner}.${n}@`

function makeTurns(
  plan: Pick<Plan, 'n' | 'owner' | 'client' | 'upstream'>,
  random: Random,
  { hasTools, faultRate }: PlanOptions,
): PlannedTurn[] {
  const turns: PlannedTurn[] = []
  const mark = markOf(plan)
  const call = (tool: PlannedCall['tool'], at: number): PlannedCall => ({
    tool,
    token: `<${mark}${turns.length}.${at}> ${words(random, 2)}`,
  })
  const addTurn = (calls: readonly PlannedCall[]): void => {
    const text = `[${mark}${turns.length}] ${words(random, random.between(1, 14))}`
    turns.push({ text: random.chance(faultRate / 60) ? text.repeat(400) : text, calls })
  }
  const several = (tools: readonly [PlannedCall['tool'], ...PlannedCall['tool'][]]): PlannedCall[] =>
    Array.from({ length: random.between(1, 3) }, (_, at) => call(random.pick(tools), at))
  while (hasTools && turns.length < 3 && random.chance(0.45)) addTurn(several(['lookup', 'search']))
  // Custom tools are only used where the upstream has none, so that they are converted.
  const clients: readonly [PlannedCall['tool'], ...PlannedCall['tool'][]] =
    plan.client === 'responses' && plan.upstream !== 'responses' ? ['weather', 'patch'] : ['weather']
  const isMixed = hasTools && random.chance(0.2)
  if (isMixed) addTurn([...several(clients), call('lookup', 7)])
  else addTurn(random.chance(0.4) ? several(clients) : [])
  return turns
}

const vocabulary = [
  'rain',
  'Ostwind',
  'naïve',
  '雨が降る',
  '🌧️',
  '"quoted"',
  'back\\slash',
  'line\nbreak',
] as const

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(vocabulary)).join(' ')
}

/** A short description for failure messages. */
export function describePlan({ n, client, upstream, form, failures, fault, behaviour }: Plan): string {
  const bad = [
    ...failures,
    ...(fault === undefined ? [] : [`${fault.kind} in turn ${fault.turn}`]),
    behaviour,
  ]
  return `exchange ${n} (${client} to ${upstream}, ${form}; ${bad.join(', ')})`
}
