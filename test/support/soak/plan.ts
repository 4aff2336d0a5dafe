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
}

type Behaviour = 'calm' | 'slow' | 'frozen' | 'leaves' | 'leaves early'

export interface Plan {
  readonly n: number
  /** When the client sends its request. */
  readonly at: number
  readonly client: Wire
  readonly upstream: Wire
  readonly form: 'streamed' | 'whole' | 'background'
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
  /** After a complete answer, the client may continue it, as its owner or as another one. */
  readonly next: 'nothing' | 'own' | 'foreign'
  readonly random: Random
}

export interface PlanOptions {
  readonly hasTools: boolean
  /** The share of exchanges with a fault. */
  readonly faultRate: number
  /** The time over which the clients start. */
  readonly spreadMs: number
  readonly storesResponses: boolean
}

const [firstWire, ...otherWires] = wires
const anyWire: readonly [Wire, ...Wire[]] = [firstWire ?? 'chat', ...otherWires]

export function makePlan(n: number, random: Random, options: PlanOptions): Plan {
  const { faultRate } = options
  const client = random.pick(anyWire)
  const upstream = random.pick(anyWire)
  const turns = makeTurns(n, random, client, upstream, options.hasTools)
  const hasState = client === 'responses' && (upstream !== 'responses' || options.storesResponses)
  const stores = hasState && random.chance(0.8)
  const form = random.chance(0.8) ? 'streamed' : stores && random.chance(0.4) ? 'background' : 'whole'
  return {
    n,
    at: random.below(options.spreadMs),
    client,
    upstream,
    form,
    owner: random.below(5),
    stores,
    turns,
    failures: random.chance(faultRate / 2)
      ? Array.from({ length: random.between(1, 3) }, () => pickFailure(random))
      : [],
    fault: random.chance(faultRate)
      ? { kind: random.pick(faultKinds), turn: random.below(turns.length), where: random.next() }
      : undefined,
    behaviour: pickBehaviour(random, faultRate, form),
    streamsWrongly: random.chance(faultRate / 5),
    lingers: random.chance(faultRate / 3),
    leavesAfter: random.chance(0.3) ? random.below(50) : random.below(20_000),
    next: stores ? random.pick(['nothing', 'own', 'own', 'foreign']) : 'nothing',
    random,
  }
}

function pickFailure(random: Random): Failure {
  return random.pick([429, 429, 'later', 500, 503, 529, 400, 'page', 'unreachable', 'refused', 'mute'])
}

function pickBehaviour(random: Random, faultRate: number, form: Plan['form']): Behaviour {
  if (random.chance(faultRate / 3)) return random.chance(0.85) ? 'leaves' : 'leaves early'
  if (form !== 'streamed' || !random.chance(faultRate)) return 'calm'
  return random.chance(0.85) ? 'slow' : 'frozen'
}

function makeTurns(
  n: number,
  random: Random,
  client: Wire,
  upstream: Wire,
  hasTools: boolean,
): PlannedTurn[] {
  const turns: PlannedTurn[] = []
  const call = (tool: PlannedCall['tool'], at: number): PlannedCall => ({
    tool,
    token: `<${n}.${turns.length}.${at}> ${words(random, 2)}`,
  })
  const addTurn = (calls: readonly PlannedCall[]): void => {
    turns.push({ text: `[${n}.${turns.length}] ${words(random, random.between(1, 14))}`, calls })
  }
  const several = (tools: readonly [PlannedCall['tool'], ...PlannedCall['tool'][]]): PlannedCall[] =>
    Array.from({ length: random.between(1, 3) }, (_, at) => call(random.pick(tools), at))
  while (hasTools && turns.length < 3 && random.chance(0.45)) addTurn(several(['lookup', 'search']))
  // Custom tools are only used where the upstream has none, so that they are converted.
  const clients: readonly [PlannedCall['tool'], ...PlannedCall['tool'][]] =
    client === 'responses' && upstream !== 'responses' ? ['weather', 'patch'] : ['weather']
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
