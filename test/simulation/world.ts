/** A complete world from one seed: actors, gateways on one store, upstreams of each wire, tools and faults, on one clock. */
import { createHash } from 'node:crypto'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { createSimulationClock } from '../support/soak/clock.ts'
import { countJsonWork } from '../support/soak/json-work.ts'
import { watchSignals } from '../support/soak/leaks.ts'
import type { Random } from '../support/soak/random.ts'
import { createRandom } from '../support/soak/random.ts'
import { actors } from './actors/index.ts'
import { reread } from './actors/stored.ts'
import { checks } from './checks/index.ts'
import { createCluster, timeouts } from './cluster.ts'
import type { Actor, Fault, Settings, World } from './contract.ts'
import { faults as allFaults } from './faults/index.ts'
import type { Entry } from './ledger.ts'
import { createLedger, terminal } from './ledger.ts'
import { createSharedStore } from './shared-store.ts'
import { createTools } from './tools.ts'

export interface WorldReport {
  readonly seed: number
  readonly violations: readonly string[]
  readonly tally: ReadonlyMap<string, number>
  readonly peaks: ReadonlyMap<string, number>
  /** Everything that happened, a line each. Bodies are in the digest only. */
  readonly log: readonly string[]
  readonly digest: string
}

/** Enough for a chain of exchanges, whatever deadlines they reach. */
const settleMs = 6 * timeouts.totalMs
const finalMs = 120_000
const upkeepMs = 5_000

export function settingsOf(seed: number): Settings {
  const random = createRandom(seed).fork(-9)
  return {
    seed,
    gateways: random.between(1, 3),
    scenes: random.between(12, 28),
    spreadMs: random.pick([500, 20_000, 60_000]),
    hasKeys: random.chance(0.5),
    hasTools: random.chance(0.4),
    storesResponses: random.chance(0.6),
    faultRate: random.pick([0, 0.2, 0.4, 0.4, 0.6]),
    // The smaller one is too little for some.
    memoryBytes: random.chance(0.2) ? 400_000 : 64_000_000,
    // The shorter one is over when everything has settled.
    ttlMs: random.chance(0.25) ? 600_000 : 30 * 24 * 3_600_000,
  }
}

/** `faults`: those that happen, if the settings have any. */
export async function runWorld(
  settings: Settings,
  faults: readonly Fault[] = allFaults,
): Promise<WorldReport> {
  const random = createRandom(settings.seed)
  const time = createSimulationClock()
  const signals = watchSignals()
  const violations: string[] = []
  const log: string[] = []
  const hash = createHash('sha256')
  let isTroubled = settings.faultRate > 0
  const clock = time.group()
  let numbers = 0
  let playing = 0

  const tally = new Map<string, number>()
  const note: World['note'] = (line, text = '') => {
    log.push(`${time.now()} ${line}`)
    hash.update(`${time.now()} ${line} ${text}\n`)
  }
  const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1)
  const base = {
    settings,
    clock,
    tally,
    note,
    count,
    exchanges: new Map(),
    heldIds: [],
    toolRuns: new Map(),
    peaks: new Map<string, number>(),
    nextNumber: () => ++numbers,
    pause: (milliseconds: number) => new Promise<void>(resolve => clock.after(milliseconds, resolve)),
    peak: (counter: string, value: number) => {
      if (value > (base.peaks.get(counter) ?? 0)) base.peaks.set(counter, value)
    },
    report(what: string) {
      violations.push(`at ${time.now()} ms: ${what}`)
      note(`VIOLATION ${what}`)
    },
  }
  const store = createSharedStore({ clock, random: random.fork(-1), note, count })
  const ledger = createLedger(base)
  const world: World = {
    ...base,
    store,
    ledger,
    get cluster() {
      return cluster
    },
    get isTroubled() {
      return isTroubled
    },
  }
  const tools = createTools(clock, random.fork(-2), settings.faultRate, world.toolRuns)
  const cluster = createCluster(world, { time, random: random.fork(-3), tools })

  if (isTroubled) for (const [n, fault] of faults.entries()) fault.begin(world, random.fork(-100 - n))
  const play = async (actor: Actor, chance: Random): Promise<void> => {
    playing++
    count(`actor ${actor.name}`)
    await actor.play(world, chance)
    playing--
  }
  for (let n = 0; n < settings.scenes; n++) {
    const chance = random.fork(n)
    clock.after(
      chance.below(settings.spreadMs),
      () =>
        void play(pickActor(chance), chance).catch(error =>
          world.report(`an actor failed: ${error instanceof Error ? error.stack : error}`),
        ),
    )
  }
  const sweep = (): void => {
    if (time.now() > settings.spreadMs + settleMs) return
    for (const { store: opened } of cluster.processes) void upkeep(opened, clock.date())
    clock.after(isTroubled ? upkeepMs : 12 * upkeepMs, sweep)
  }
  sweep()

  const work = countJsonWork()
  const onTurn = (): void => {
    world.peak('characters of JSON in one turn', work.take())
    for (const check of checks) check.onTurn?.(world)
  }
  await time.runUntil(settings.spreadMs, onTurn)
  isTroubled = false
  note('the faults stop')
  await time.runUntil(settings.spreadMs + settleMs, onTurn)
  if (playing > 0) world.report(`${playing} actors never came to their end`)
  for (const entry of ledger.entries) void readEverywhere(world, entry, random)
  await time.runUntil(settings.spreadMs + settleMs + finalMs, onTurn)
  for (const check of checks) check.atEnd?.(world)
  work.stop()
  const listening = signals.stop()
  // What a killed process listened to is never released.
  if (listening > 0 && !tally.has('kill'))
    world.report(`${listening} listeners are left on signals that never abort`)
  let isClosed = false
  void Promise.all(world.cluster.processes.map(({ gateway }) => gateway.close())).then(() => {
    isClosed = true
  })
  await time.runUntil(settings.spreadMs + settleMs + 2 * finalMs)
  if (!isClosed) world.report('a gateway never finished stopping')
  return { seed: settings.seed, violations, tally, peaks: world.peaks, log, digest: hash.digest('hex') }
}

/** As the process of a gateway does it, every few seconds. */
async function upkeep(store: Store, now: number): Promise<void> {
  await store.sweep(now).catch(() => {})
  await store.maintain().catch(() => {})
}

/** When the faults have stopped, every gateway has every response, with a final status. */
async function readEverywhere(world: World, entry: Entry, random: Random): Promise<void> {
  const readAll = async (): Promise<string | undefined> => {
    let last: string | undefined
    for (const preferred of world.cluster.processes) {
      const status = await reread(world, entry, { random, preferred })
      if (last === undefined || !terminal.has(status ?? 'completed')) last = status
    }
    return last
  }
  // A gateway that could not store a result stores it when it is requested there; then all of them have it.
  const first = await readAll()
  const status = first === undefined || terminal.has(first) ? first : await readAll()
  if (status !== undefined && !terminal.has(status)) world.report(`${entry.id} is ${status} for ever`)
}

const weights = actors.reduce((sum, { weight }) => sum + weight, 0)

function pickActor(random: Random): Actor {
  let at = random.next() * weights
  const found = actors.find(({ weight }) => {
    at -= weight
    return at < 0
  })
  if (found === undefined) throw new Error('There are no actors.')
  return found
}
