/**
 * One process, two worker processes behind one port, and two processes that know nothing of each other, in turns: what a
 * request costs, who serves it, and how long a connection waits. What the two alone cost above one is the machine's, whose
 * cores they share with load and upstream.
 */
import { startLoad, startUpstream } from '../gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from '../gateway/scenes.mjs'
import { cpuMs } from '../lib/process-usage.mjs'
import { median, spread } from '../lib/stats.mjs'
import { startServed } from './served.mjs'

const model = 'bench-model'

/** How many requests each worker has answered, by its number. */
async function servedBy({ get }) {
  const found = [
    ...(await get('/metrics')).matchAll(/^toolwire_worker_requests_total\{worker="(\d+)"\} (\d+)$/gm),
  ]
  return new Map(found.map(([, worker, count]) => [worker, Number(count)]))
}

/** The least share of the requests between the two moments. */
function leastShare(before, after) {
  const answered = [...after].map(([worker, count]) => count - (before.get(worker) ?? 0))
  return Math.min(...answered) / answered.reduce((a, b) => a + b, 0)
}

/** CPU of both gateways for a request, each served by a load of its own; or of one, served by both. */
async function cpuEach(loads, served, request) {
  const pids = [...new Set(served)].flatMap(one => one.pids())
  const before = cpuMs(pids)
  await Promise.all(
    loads.map((load, i) =>
      load.ask('batch', { ...request, port: served[i].port, pids: [], connections: 32 }),
    ),
  )
  return (cpuMs(pids) - before) / (request.answers * loads.length)
}

export async function runWorkers({ quick, say }) {
  const upstream = startUpstream()
  // Two of them in each case, since one alone would serve two gateways by turns.
  const loads = [startLoad(), startLoad()]
  const { port: upstreamPort } = await upstream.ask('listen')
  await upstream.ask('set', upstreamModes.json)
  const serve = count => startServed({ upstreamPort, args: ['--workers', String(count), '--store', 'none'] })
  const [one, two, ...alone] = [await serve(1), await serve(2), await serve(1), await serve(1)]
  const subjects = { one: [one, one], two: [two, two], alone }
  const request = { ...requestFor('responses', model), answers: quick ? 500 : 2000 }
  const cost = { one: [], two: [], alone: [] }
  const wide = { one: [], two: [] }
  const shares = []
  try {
    for (const [name, served] of Object.entries(subjects)) {
      say(`workers: warming up ${name}`)
      const durationMs = (quick ? 8000 : 30_000) * (name === 'one' ? 1 : 2)
      const given = { ...request, connections: 16, warmMs: 0, durationMs }
      await Promise.all(loads.map((load, i) => load.ask('run', { ...given, port: served[i].port })))
    }
    for (let round = 0; round < (quick ? 3 : 8); round++) {
      for (const [name, served] of Object.entries(subjects)) {
        const before = name === 'two' ? await servedBy(two) : undefined
        cost[name].push(await cpuEach(loads, served, request))
        if (name === 'alone') continue
        const [{ port }] = served
        const durationMs = quick ? 2000 : 4000
        wide[name].push(
          await loads[0].ask('run', {
            ...request,
            port,
            pids: [],
            connections: 256,
            warmMs: 500,
            durationMs,
          }),
        )
        if (before !== undefined) shares.push(leastShare(before, await servedBy(two)))
      }
      const each = Object.entries(cost).map(([name, all]) => `${name} ${all[round].toFixed(3)}`)
      say(
        `workers: round ${round + 1}, CPU ms each: ${each.join(', ')}; least share ${shares.at(-1)?.toFixed(2)}`,
      )
    }
  } finally {
    await Promise.all([one, two, ...alone, upstream, ...loads].map(child => child.stop()))
  }
  const over = (all, base) => spread(all.map((each, round) => each / base[round]))
  return {
    cpuRatio: over(cost.two, cost.one),
    overAlone: over(cost.two, cost.alone),
    leastShare: spread(shares),
    rows: Object.entries(wide).map(([name, runs], i) => {
      const each = field => median(runs.map(run => run[field]))
      return {
        workers: i + 1,
        cpuMsEach: median(cost[name]),
        perSecond: each('perSecond'),
        p50: each('p50'),
        p99: each('p99'),
        tail: median(runs.map(({ p50, p99 }) => p99 / p50)),
        acceptP50: each('acceptP50'),
        acceptP99: each('acceptP99'),
        acceptWorst: Math.max(...runs.map(({ acceptWorst }) => acceptWorst)),
        wrong: runs.reduce((sum, run) => sum + run.wrong, 0),
      }
    }),
  }
}
