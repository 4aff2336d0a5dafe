/** What watching costs: the CPU of a gateway with log, metrics and traces over that of one that nobody watches, in turns. */
import { addPairs, ratiosOf, steadyFlags, warmGateway } from '../baseline/run-baseline.mjs'
import { startLoad, startUpstream } from '../gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from '../gateway/scenes.mjs'
import { cores, startAsked } from '../lib/children.mjs'
import { processTree } from '../lib/process-usage.mjs'
import { median, spread } from '../lib/stats.mjs'
import { pairs } from '../work/wires.mjs'

const warmAnswers = { burst: 300, json: 1500 }
const connections = 16

async function startGateway(args, upstreamPort) {
  const module = new URL('gateway.mjs', import.meta.url)
  const child = startAsked(module, { core: cores.measured, args, execArgv: steadyFlags })
  return { ...child, ...(await child.ask('listen', { upstreamPort })) }
}

export async function runWatching({ quick, say }) {
  const upstream = startUpstream()
  const load = startLoad()
  const { port: upstreamPort } = await upstream.ask('listen')
  const gateways = {
    old: await startGateway([], upstreamPort),
    new: await startGateway(['--watched'], upstreamPort),
  }
  for (const { port } of Object.values(gateways)) await warmGateway({ upstream, load }, port, warmAnswers)
  const rows = []
  for (const scene of ['json', 'burst']) {
    await upstream.ask('set', upstreamModes[scene])
    const stream = scene !== 'json'
    for (const { from, to } of pairs) {
      const row = { scene, from, to, pairs: [] }
      const request = requestFor(from, `${to}-model`, { stream })
      const sample = async name => {
        const { port, pid } = gateways[name]
        const job = { ...request, connections, answers: stream ? 32 : 96, port, pids: processTree(pid) }
        return (await load.ask('batch', job)).cpuMsEach * 1000
      }
      await addPairs(row, sample, quick ? { pairsEach: 6, rowMs: 2000 } : { pairsEach: 30, rowMs: 8000 })
      rows.push({
        scene,
        from,
        to,
        unwatchedUs: median(row.pairs.map(pair => pair.old)),
        watchedUs: median(row.pairs.map(pair => pair.new)),
        ratio: spread(ratiosOf(row)),
      })
    }
    say(`watching: ${scene}`)
  }
  await Promise.all([upstream, load, ...Object.values(gateways)].map(one => one.stop()))
  return rows
}
