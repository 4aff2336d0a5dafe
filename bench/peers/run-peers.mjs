/** The peers' part: each is installed, started, judged and timed on the same work as Toolwire, in turns. */
import { existsSync } from 'node:fs'
import { startLoad, startUpstream } from '../gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from '../gateway/scenes.mjs'
import { folderBytes } from '../lib/folder-bytes.mjs'
import { memoryMb, processTree } from '../lib/process-usage.mjs'
import { spread } from '../lib/stats.mjs'
import { pairs } from '../work/wires.mjs'
import { judge } from './judged-cases.mjs'
import { musistudioLlms } from './musistudio-llms.mjs'
import { nineRouter } from './nine-router.mjs'
import { opencodex } from './opencodex.mjs'
import { install, startPeer } from './peer.mjs'
import { portkey } from './portkey.mjs'
import { toolwireServe } from './toolwire-serve.mjs'

const peers = [toolwireServe, portkey, musistudioLlms, opencodex, nineRouter]
const key = ({ from, to }) => `${from}→${to}`

async function judgeAll(running, stage, say) {
  const judged = new Map()
  for (const one of running) {
    for (const pair of pairs.filter(pair => one.peer.pairs.includes(key(pair)))) {
      judged.set(`${one.peer.name} ${key(pair)}`, await judge(pair, one, stage))
    }
    say(`peers: ${one.peer.name} judged`)
  }
  return judged
}

/** All pairs of a peer at once, before anything is timed. */
async function warmUp({ peer, port, headers }, stage, milliseconds) {
  for (const scene of ['json', 'burst']) {
    await stage.upstream.ask('set', upstreamModes[scene])
    const run = pair => {
      const request = requestFor(pair.from, peer.model(pair), { stream: scene !== 'json' })
      const given = { ...request, port, headers: headers(pair), connections: 2 }
      return stage.load.ask('run', { ...given, warmMs: 0, durationMs: milliseconds })
    }
    await Promise.all(pairs.filter(pair => peer.pairs.includes(key(pair))).map(run))
  }
}

/** All who can do a pair take turns at it. */
async function timePair(pair, scene, running, stage, { rounds, durationMs, warmMs }) {
  await stage.upstream.ask('set', upstreamModes[scene])
  const taking = running.filter(({ peer }) => peer.pairs.includes(key(pair)))
  const samples = taking.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, { peer, child, port, headers }] of taking.entries()) {
      const request = requestFor(pair.from, peer.model(pair), { stream: scene !== 'json' })
      const given = { ...request, port, headers: headers(pair), pids: processTree(child.pid) }
      samples[i].push(await stage.load.ask('run', { ...given, connections: 16, durationMs, warmMs }))
    }
  }
  return taking.map(({ peer }, i) => ({
    peer: peer.name,
    ...pair,
    scene,
    perSecond: spread(samples[i].map(({ perSecond }) => perSecond)),
    p50: spread(samples[i].map(({ p50 }) => p50)),
    cpuMsEach: spread(samples[i].map(({ cpuMsEach }) => cpuMsEach)),
    wrong: samples[i].reduce((sum, { wrong }) => sum + wrong, 0),
    answers: samples[i].reduce((sum, { count }) => sum + count, 0),
    faults: Object.assign({}, ...samples[i].map(({ faults }) => faults)),
  }))
}

async function startAll(stage, say) {
  const running = []
  const absent = []
  for (const peer of peers) {
    try {
      const folder = install(peer)
      running.push({ ...(await startPeer(peer, folder, stage)), folder })
    } catch (error) {
      absent.push({ peer: peer.name, reason: error instanceof Error ? error.message : String(error) })
    }
    say(`peers: ${peer.name} ${absent.at(-1)?.peer === peer.name ? absent.at(-1).reason : 'is running'}`)
  }
  return { running, absent }
}

/** @param {{ quick: boolean, say: (text: string) => void }} options */
export async function runPeers({ quick, say }) {
  const plan = quick
    ? { rounds: 1, durationMs: 300, warmMs: 150 }
    : { rounds: 2, durationMs: 400, warmMs: 150 }
  const upstream = startUpstream()
  const load = startLoad()
  const { port: upstreamPort } = await upstream.ask('listen')
  await upstream.ask('set', upstreamModes.json)
  const stage = {
    upstream,
    load,
    upstreamPort,
    once: given => load.ask('once', { ...given, timeoutMs: 5000 }),
    request: ({ from }, model) => requestFor(from, model),
  }
  const { running, absent } = await startAll(stage, say)
  try {
    const judged = await judgeAll(running, stage, say)
    for (const one of running) await warmUp(one, stage, quick ? 500 : 7000)
    say('peers: warmed up')
    const timed = []
    for (const scene of ['json', 'burst']) {
      for (const pair of pairs) timed.push(...(await timePair(pair, scene, running, stage, plan)))
      say(`peers: ${scene} timed`)
    }
    const rows = timed.map(row => ({ ...row, judged: judged.get(`${row.peer} ${key(row)}`) }))
    const started = running.map(({ peer, child, readyMs, folder }) => ({
      peer: peer.name,
      version: peer.version,
      pairs: peer.pairs,
      readyMs,
      memoryMb: memoryMb(processTree(child.pid)).now,
      installedMb: existsSync(folder) ? folderBytes(folder) / 1e6 : undefined,
    }))
    return { rows, started, absent }
  } finally {
    await Promise.all([upstream.stop(), load.stop(), ...running.map(one => one.close())])
  }
}
