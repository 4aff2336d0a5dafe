/** One process and two worker processes in turns: what a request costs, who serves it, and how long a connection waits. */
import { startLoad, startUpstream } from '../gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from '../gateway/scenes.mjs'
import { median, spread } from '../lib/stats.mjs'
import { startServed } from './served.mjs'

const counts = [1, 2]
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

export async function runWorkers({ quick, say }) {
  const upstream = startUpstream()
  const load = startLoad()
  const { port: upstreamPort } = await upstream.ask('listen')
  await upstream.ask('set', upstreamModes.json)
  const args = count => ['--workers', String(count), '--store', 'none']
  const subjects = []
  for (const count of counts)
    subjects.push({ count, served: await startServed({ upstreamPort, args: args(count) }) })
  const request = { ...requestFor('responses', model), answers: quick ? 1000 : 4000 }
  const cost = new Map(counts.map(count => [count, []]))
  const wide = new Map(counts.map(count => [count, []]))
  const shares = []
  try {
    for (const { count, served } of subjects) {
      say(`workers: warming up ${count}`)
      await load.ask('run', {
        ...request,
        port: served.port,
        connections: 16,
        warmMs: 0,
        durationMs: (quick ? 8000 : 30_000) * count,
      })
    }
    for (let round = 0; round < (quick ? 3 : 8); round++) {
      for (const { count, served } of subjects) {
        const before = count > 1 ? await servedBy(served) : undefined
        const given = { ...request, port: served.port, pids: served.pids() }
        const { cpuMsEach } = await load.ask('batch', { ...given, connections: 64 })
        cost.get(count).push(cpuMsEach)
        wide.get(count).push(
          await load.ask('run', {
            ...given,
            connections: 256,
            warmMs: 500,
            durationMs: quick ? 2000 : 4000,
          }),
        )
        if (before !== undefined) shares.push(leastShare(before, await servedBy(served)))
      }
      const [one, two] = counts.map(count => cost.get(count)[round])
      say(
        `workers: round ${round + 1}, CPU ms each ${one.toFixed(3)} and ${two.toFixed(3)}, least share ${shares.at(-1)?.toFixed(2)}`,
      )
    }
  } finally {
    await Promise.all([...subjects.map(({ served }) => served.stop()), upstream.stop(), load.stop()])
  }
  const ratios = cost.get(2).map((each, round) => each / cost.get(1)[round])
  return {
    cpuRatio: spread(ratios),
    leastShare: spread(shares),
    rows: counts.map(count => {
      const runs = wide.get(count)
      const each = name => median(runs.map(run => run[name]))
      return {
        workers: count,
        cpuMsEach: median(cost.get(count)),
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
