/**
 * Two builds in one run: this checkout's ("new") and another's ("old"), each in processes of its own, in turns.
 * What another program does to the machine lasts longer than a sample, so it falls on both samples of a pair and
 * hardly on their ratio.
 */
import { startLoad, startSubject, startUpstream } from '../gateway/run-gateway.mjs'
import { groups, requestFor, upstreamModes } from '../gateway/scenes.mjs'
import { buildEnv, entryPath, ownFolder } from '../lib/build-entry.mjs'
import { cores, startAsked } from '../lib/children.mjs'
import { processTree } from '../lib/process-usage.mjs'
import { median } from '../lib/stats.mjs'
import { libraryCases } from '../library/cases.mjs'
import { pairs } from '../work/wires.mjs'

/** A row is slower when the median of its ratios is above this. */
const slowerAbove = 1.05
/** A row whose ratio is further from 1 than this after the first rounds is measured again. */
const doubtfulBy = 0.03

/**
 * `rounds` with new processes each, over all rows; then `moreRounds` over the rows in doubt, with three times the
 * pairs. Bytes are what a case of the library reads, to warm up and in one sample: 150 KB take about 3 ms.
 */
const plans = {
  library: {
    rounds: 2,
    moreRounds: 1,
    passes: 2,
    warmUpBytes: 4e6,
    warmBytes: 1e6,
    sampleBytes: 1.5e5,
    pairsEach: 32,
    rowMs: 800,
  },
  gateway: {
    rounds: 2,
    moreRounds: 1,
    warmAnswers: { burst: 300, json: 1500 },
    pairsEach: 12,
    rowMs: 2000,
  },
}
const quickPlans = {
  library: { ...plans.library, rounds: 1, moreRounds: 0, passes: 1, pairsEach: 16, rowMs: 300 },
  gateway: { ...plans.gateway, rounds: 1, moreRounds: 0, pairsEach: 4 },
}

/**
 * Compiling and collecting garbage beside the program, and the seeds of hash tables, make a process a few percent
 * faster or slower than the next with the same code; here they happen in the program, and always alike. And a process
 * that waits for its turn must not use the time to collect garbage and throw away compiled code.
 */
export const steadyFlags = [
  '--single-threaded',
  '--hash-seed=1',
  '--random-seed=1',
  '--no-memory-reducer',
  '--no-flush-bytecode',
]

const newRow = (part, group, { from, to }) => ({ part, group, from, to, pairs: [], faults: new Set() })
export const ratiosOf = row => row.pairs.map(pair => pair.new / pair.old)
const isDoubtful = row => Math.abs(median(ratiosOf(row)) - 1) > doubtfulBy

/** @param {(rows: any[], plan: any, isFirst: boolean) => Promise<void>} round over new processes */
async function measureRounds(rows, plan, say, round) {
  for (let i = 0; i < plan.rounds; i++) {
    await round(rows, plan, i === 0)
    say(`${rows[0].part}: round ${i + 1} of ${plan.rounds}`)
  }
  for (let i = 0; i < plan.moreRounds; i++) {
    const doubtful = rows.filter(isDoubtful)
    if (doubtful.length === 0) return
    say(`${rows[0].part}: ${doubtful.length} rows are measured again`)
    await round(doubtful, { ...plan, pairsEach: plan.pairsEach * 3, rowMs: plan.rowMs * 3 }, false)
  }
}

/**
 * Adds pairs of samples to a row: so many, or as many as fit in the time where one takes long. Whoever was second in
 * the pair before is first in the next.
 * @param {(name: 'old' | 'new') => Promise<number>} sample
 */
export async function addPairs(row, sample, { pairsEach, rowMs }) {
  const end = performance.now() + rowMs
  for (let i = 0; i < pairsEach && (i < 2 || performance.now() < end); i++) {
    const pair = {}
    for (const name of row.pairs.length % 2 === 0 ? ['old', 'new'] : ['new', 'old'])
      pair[name] = await sample(name)
    row.pairs.push(pair)
  }
}

const stopAll = children => Promise.all(Object.values(children).map(child => child.stop()))

async function measureLibrary(folders, plan, say) {
  const rows = libraryCases().map(({ kind, size, ...pair }, index) => ({
    ...newRow('library', `${kind}, ${size}`, pair),
    index,
  }))
  const startBuild = folder =>
    startAsked(new URL('library-worker.mjs', import.meta.url), {
      core: cores.measured,
      env: buildEnv(folder),
      execArgv: steadyFlags,
    })
  await measureRounds(rows, plan, say, async (taking, { passes, warmUpBytes, ...here }, isFirst) => {
    const builds = { old: startBuild(folders.old), new: startBuild(folders.new) }
    for (const build of Object.values(builds)) await build.ask('warmUp', { inputBytes: warmUpBytes, passes })
    for (const row of taking) {
      for (const [name, build] of Object.entries(builds)) {
        const given = { index: row.index, inputBytes: here.warmBytes, check: isFirst }
        const { right } = await build.ask('prepare', given)
        if (!right) row.faults.add(`${name}: wrong output`)
      }
      await addPairs(row, name => builds[name].ask('sample', { inputBytes: here.sampleBytes }), here)
    }
    await stopAll(builds)
  })
  return rows
}

/** By numbers of answers and not by time, so that both builds are equally warm however busy the machine is. */
export async function warmGateway({ upstream, load }, port, warmAnswers) {
  for (const [scene, answers] of Object.entries(warmAnswers)) {
    await upstream.ask('set', upstreamModes[scene])
    for (const { from, to } of pairs) {
      const request = requestFor(from, `${to}-model`, { stream: scene !== 'json' })
      await load.ask('batch', { ...request, port, connections: 4, answers, pids: [] })
    }
  }
}

async function measureGateway(folders, plan, say) {
  const rows = groups.flatMap(({ scene, connections, size = 'small' }) =>
    pairs.map(pair => ({
      ...newRow('gateway', `${scene}, ${connections} at a time, ${size} requests`, pair),
      work: { scene, connections, size },
    })),
  )
  const upstream = startUpstream()
  const load = startLoad()
  const { port: upstreamPort } = await upstream.ask('listen')
  await measureRounds(rows, plan, say, async (taking, here) => {
    const builds = {}
    for (const [name, folder] of Object.entries(folders)) {
      const options = { env: buildEnv(folder), execArgv: steadyFlags }
      builds[name] = await startSubject('toolwire', upstreamPort, options)
      await warmGateway({ upstream, load }, builds[name].port, here.warmAnswers)
    }
    for (const row of taking) {
      const { scene, connections, size } = row.work
      const events = await upstream.ask('set', upstreamModes[scene])
      const stream = scene !== 'json'
      const request = requestFor(row.from, `${row.to}-model`, { stream, size })
      const answers = Math.max(connections, stream ? 32 : 96)
      const sample = async name => {
        const { port, pid } = builds[name]
        const job = { ...request, connections, answers, port, pids: processTree(pid) }
        const { cpuMsEach, faults } = await load.ask('batch', job)
        for (const fault of Object.keys(faults)) row.faults.add(`${name}: ${fault}`)
        return (cpuMsEach * 1000) / (stream ? events[row.to] : 1)
      }
      await addPairs(row, sample, here)
    }
    await stopAll(builds)
  })
  await stopAll({ upstream, load })
  return rows
}

function judge(row) {
  const { part, group, from, to, faults } = row
  const ratios = ratiosOf(row)
  const ratio = { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) }
  return {
    part,
    group,
    from,
    to,
    oldUs: median(row.pairs.map(pair => pair.old)),
    newUs: median(row.pairs.map(pair => pair.new)),
    ratio,
    slower: ratio.median > slowerAbove,
    faults: [...faults],
    pairs: row.pairs,
  }
}

/** The parts that can be compared. */
export const baselineParts = { library: measureLibrary, gateway: measureGateway }

/**
 * @param {{ folder: string, only: readonly string[], quick: boolean, say: (text: string) => void }} options
 *   `folder`: the checkout with the old build
 */
export async function runBaseline({ folder, only, quick, say }) {
  const folders = { old: folder, new: ownFolder }
  for (const one of Object.values(folders))
    for (const name of ['@toolwire/core', 'toolwire/gateway']) entryPath(name, one)
  const rows = []
  for (const [name, measure] of Object.entries(baselineParts)) {
    if (only.length > 0 && !only.includes(name)) continue
    rows.push(...(await measure(folders, (quick ? quickPlans : plans)[name], say)).map(judge))
  }
  return rows
}
