/**
 * One process, two worker processes behind one port, and two processes that know nothing of each other, in turns: what a
 * request costs, who serves it, and how long a connection waits. What the two alone cost above one is the machine's, whose
 * cores they share with load and upstream: much with many connections, which keep all of them busy, and little with few.
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

/** Connections and requests of each of the two loads: so many requests that opening the connections costs nothing. */
const sizes = [
  { connections: 4, answers: 1500, rounds: 24 },
  { connections: 32, answers: 3000, rounds: 16 },
]

/** CPU of all gateways for a request. Each load has as many connections to each of them. */
async function cpuEach(loads, served, { connections, answers, ...request }) {
  const pids = served.flatMap(one => one.pids())
  const part = {
    ...request,
    connections: connections / served.length,
    answers: answers / served.length,
    pids: [],
  }
  const before = cpuMs(pids)
  await Promise.all(loads.flatMap(load => served.map(({ port }) => load.ask('batch', { ...part, port }))))
  return (cpuMs(pids) - before) / (answers * loads.length)
}

/** The same of all subjects in turns; whoever is first in one round is last in the next. */
async function costs(loads, subjects, { rounds, ...request }, say) {
  const cost = Object.fromEntries(Object.keys(subjects).map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const order = Object.entries(subjects)
    for (const [name, served] of round % 2 === 0 ? order : order.reverse())
      cost[name].push(await cpuEach(loads, served, request))
  }
  const over = (all, base) => spread(all.map((each, round) => each / base[round]))
  const row = {
    connections: request.connections * loads.length,
    cpuMsEach: Object.fromEntries(Object.entries(cost).map(([name, all]) => [name, median(all)])),
    overOne: over(cost.two, cost.one),
    overAlone: over(cost.two, cost.alone),
    aloneOverOne: over(cost.alone, cost.one),
  }
  say(`workers: ${row.connections} connections, two over one ${row.overOne.median.toFixed(3)}`)
  return row
}

export async function runWorkers({ quick, say }) {
  const upstream = startUpstream()
  // Two of them in each case, since one alone would serve two gateways by turns.
  const loads = [startLoad(), startLoad()]
  const { port: upstreamPort } = await upstream.ask('listen')
  await upstream.ask('set', upstreamModes.json)
  const serve = count => startServed({ upstreamPort, args: ['--workers', String(count), '--store', 'none'] })
  const [one, two, ...alone] = [await serve(1), await serve(2), await serve(1), await serve(1)]
  const subjects = { one: [one], two: [two], alone }
  const request = requestFor('responses', model)
  const wide = { one: [], two: [] }
  const shares = []
  const costRows = []
  try {
    for (const [name, served] of Object.entries(subjects)) {
      say(`workers: warming up ${name}`)
      const durationMs = (quick ? 8000 : 30_000) * (name === 'one' ? 1 : 2)
      const given = { ...request, connections: 16, warmMs: 0, durationMs }
      await Promise.all(
        loads.map((load, i) => load.ask('run', { ...given, port: served[i % served.length].port })),
      )
    }
    for (const size of sizes)
      costRows.push(
        await costs(loads, subjects, { ...request, ...size, rounds: quick ? 4 : size.rounds }, say),
      )
    const given = { ...request, pids: [], connections: 256, warmMs: 500, durationMs: quick ? 2000 : 4000 }
    for (let round = 0; round < (quick ? 2 : 8); round++) {
      for (const [name, { port }] of [
        ['one', one],
        ['two', two],
      ]) {
        const before = await servedBy(two)
        wide[name].push(await loads[0].ask('run', { ...given, port }))
        if (name === 'two') shares.push(leastShare(before, await servedBy(two)))
      }
      say(`workers: 256 connections, round ${round + 1}, least share ${shares.at(-1)?.toFixed(2)}`)
    }
  } finally {
    await Promise.all([one, two, ...alone, upstream, ...loads].map(child => child.stop()))
  }
  return {
    costs: costRows,
    leastShare: spread(shares),
    rows: Object.values(wide).map((runs, i) => {
      const each = field => median(runs.map(run => run[field]))
      return {
        workers: i + 1,
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
