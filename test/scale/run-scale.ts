/** Several gateways on one store under load, while they and the store are killed: does everybody see one history? */
import { setTimeout as pause } from 'node:timers/promises'
import type { Start } from '../crash/served-process.ts'
import { createRandom, type Random } from '../support/soak/random.ts'
import { type Stage, useGateways } from './clients.ts'
import { verifyAll } from './history.ts'
import { Member } from './members.ts'
import { startUpstream } from './upstream.ts'

export interface ScaleOptions {
  readonly start: Start
  /** What `--store` is given. */
  readonly store: string
  /** Kills the server of the store and starts it again; absent for a file. */
  restartStore?(): Promise<void>
  readonly gateways: number
  /** Worker processes of each gateway, of which any is killed; 1: the gateways themselves are killed. */
  readonly workers: number
  readonly kills: number
  /** After this time nothing new is begun: a slow machine does less, and what it did is judged all the same. */
  readonly deadlineMs: number
  readonly seed: number
}

export interface ScaleReport {
  /** As many as there was time for, two at least. */
  readonly kills: number
  readonly restarts: number
  readonly questions: number
  readonly responses: number
  readonly completed: number
  readonly counts: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

const clients = 8
/** How many requests lie between two kills at least: counted, so that a slow machine kills under load too. */
const leastBetween = 12
/** Both are done however slow the machine is: with the second one the server of the store goes too. */
const leastKills = 2
/** For requests that are never answered, which would otherwise be waited for without end. */
const patienceMs = 120_000

export async function runScale(options: ScaleOptions): Promise<ScaleReport> {
  const { start, store, gateways, workers, seed } = options
  const random = createRandom(seed)
  const upstream = await startUpstream()
  const argv = ['--upstream', `chat=${upstream.url}`, '--store', store, '--workers', String(workers)]
  const members = Array.from({ length: gateways }, () => new Member(start, argv))
  let numbers = 0
  let isDone = false
  const stage: Stage = {
    members,
    entries: [],
    violations: [],
    counts: {},
    nextNumber: () => ++numbers,
    isOver: () => isDone,
  }
  try {
    // The first one makes the store.
    for (const member of members) await member.begin()
    const using = Promise.all(
      Array.from({ length: clients }, (_, client) => useGateways(stage, random.fork(client))),
    )
    // A client that throws ends the run, which would otherwise wait for its questions.
    const early = using.then((): never => {
      throw new Error('The clients ended before the kills.')
    })
    const killed = await Promise.race([killUnderLoad(options, members, random, () => numbers), early])
    isDone = true
    if (!(await endsWithin(using, patienceMs))) stage.violations.push('a request was never answered')
    stage.violations.push(...(await verifyAll(members, stage.entries, upstream)))
    const { entries, counts, violations } = stage
    const completed = entries.filter(({ end }) => end?.status === 'completed').length
    return { ...killed, questions: numbers, responses: entries.length, completed, counts, violations }
  } finally {
    isDone = true
    await Promise.all(members.map(member => member.kill()))
    await upstream.stop()
  }
}

interface Killed {
  readonly kills: number
  readonly restarts: number
}

async function killUnderLoad(
  options: ScaleOptions,
  members: readonly Member[],
  random: Random,
  numbers: () => number,
): Promise<Killed> {
  const { restartStore, workers, kills: most, deadlineMs } = options
  const begun = performance.now()
  let kills = 0
  let restarts = 0
  const waitFor = async (more: number): Promise<void> => {
    const enough = numbers() + more
    const waiting = performance.now()
    while (numbers() < enough) {
      if (performance.now() - waiting > patienceMs) throw new Error('The gateways have stopped to answer.')
      await pause(10)
    }
  }
  while (kills < most && (kills < leastKills || performance.now() - begun < deadlineMs)) {
    await waitFor(leastBetween + random.below(leastBetween))
    const member = random.pick(members as [Member, ...Member[]])
    if (workers > 1) member.killWorker(random.below(100))
    else {
      await member.kill()
      await member.begin()
    }
    kills++
    // Every third time the server of the store goes too.
    if (kills % 3 === 2 && restartStore !== undefined) {
      await restartStore()
      restarts++
    }
  }
  await waitFor(leastBetween)
  return { kills, restarts }
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const tooLate = new AbortController()
  const isLate = pause(ms, false, { signal: tooLate.signal }).catch(() => false)
  return Promise.race([work.then(() => true), isLate]).finally(() => tooLate.abort())
}
