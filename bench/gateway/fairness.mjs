/**
 * What one key does to another: the p50 of a quiet key on an upstream of its own, alone, beside a flood of another key
 * through the same gateway, and beside the same flood through a second gateway, which is what the machine's load alone
 * does. In turns, so that whoever else uses the machine is there in all three.
 *
 *   node bench/gateway/fairness.mjs [--rounds 10] [--flood 256] [--baseline DIR]
 */
import { parseArgs } from 'node:util'
import { buildEnv } from '../lib/build-entry.mjs'
import { startAsked } from '../lib/children.mjs'
import { median, spread } from '../lib/stats.mjs'
import { requestFor, upstreamModes } from './scenes.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    flood: { type: 'string', default: '256' },
    baseline: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const connections = Number(values.flood)

const startLoad = () => startAsked(new URL('./load.mjs', import.meta.url))
const load = { quiet: startLoad(), flood: startLoad() }

async function startUpstream() {
  const upstream = startAsked(new URL('./upstream.mjs', import.meta.url))
  return { upstream, port: (await upstream.ask('listen')).port }
}
const calm = await startUpstream()
const flooded = await startUpstream()

const keys = { quiet: 'k-quiet-0123456789abcdef', flood: 'k-flood-0123456789abcdef' }

async function startGateway(folder) {
  const gateway = startAsked(new URL('./toolwire.mjs', import.meta.url), {
    ...(folder !== undefined && { env: buildEnv(folder) }),
  })
  const upstreamOf = (name, { port }) => ({
    name,
    wire: 'chat',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    models: [`${name}-model`],
  })
  const more = {
    upstreams: [upstreamOf('calm', calm), upstreamOf('flooded', flooded)],
    keys: Object.values(keys),
  }
  return (await gateway.ask('listen', { upstreamPort: calm.port, more })).port
}

const subjects = { 'this build': await startGateway() }
if (values.baseline !== undefined) subjects.baseline = await startGateway(values.baseline)
const elsewhere = await startGateway(values.baseline)

const quietly = (port, durationMs) =>
  load.quiet.ask('run', {
    ...requestFor('messages', 'calm-model'),
    headers: { authorization: `Bearer ${keys.quiet}` },
    port,
    connections: 1,
    warmMs: 100,
    durationMs,
  })

const flooding = (port, scene, durationMs) =>
  load.flood.ask('run', {
    ...requestFor('messages', 'flooded-model', { stream: scene !== 'json' }),
    headers: { authorization: `Bearer ${keys.flood}` },
    port,
    connections,
    warmMs: 0,
    durationMs,
  })

/** @returns {Promise<{ quiet: number, flood: number, faults: object }>} */
async function beside(quietPort, floodPort, scene) {
  const flood = flooding(floodPort, scene, 2600)
  await new Promise(resolve => setTimeout(resolve, 500))
  const { p50 } = await quietly(quietPort, 1500)
  const { perSecond, faults } = await flood
  return { quiet: p50, flood: perSecond, faults }
}

const show = value => value.toFixed(value < 10 ? 2 : 1)
const shown = list => {
  const { median: middle, low, high } = spread(list)
  return `${show(middle)} (${show(low)}–${show(high)})`
}

for (const delayMs of [0, 20]) {
  await calm.upstream.ask('set', { ...upstreamModes.json, delayMs })
  for (const scene of ['json', 'burst']) {
    await flooded.upstream.ask('set', upstreamModes[scene])
    for (const port of [...Object.values(subjects), elsewhere]) await flooding(port, scene, 4000)
    const names = Object.keys(subjects)
    const figures = Object.fromEntries(
      names.map(name => [name, { alone: [], beside: [], machine: [], flood: [] }]),
    )
    const faults = new Set()
    for (let round = 0; round < rounds; round++) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const port = subjects[name]
        const of = figures[name]
        of.alone.push((await quietly(port, 700)).p50)
        const machine = await beside(port, elsewhere, scene)
        const own = await beside(port, port, scene)
        of.machine.push(machine.quiet)
        of.beside.push(own.quiet)
        of.flood.push(own.flood)
        for (const fault of Object.keys(own.faults)) faults.add(fault)
      }
    }
    for (const name of names) {
      const { alone, beside, machine, flood } = figures[name]
      const ratios = against => shown(beside.map((value, i) => value / against[i]))
      console.info(
        `${name}, flood of ${connections} (${scene}), upstream of the quiet key after ${delayMs} ms:\n` +
          `  p50 alone ${shown(alone)} ms, flood elsewhere ${shown(machine)} ms, flood here ${shown(beside)} ms\n` +
          `  ratio to alone ${ratios(alone)}, to the flood elsewhere ${ratios(machine)}; flood ${median(flood).toFixed(0)}/s` +
          `${faults.size > 0 ? `; faults: ${[...faults].join(', ')}` : ''}`,
      )
    }
  }
}
process.exit()
