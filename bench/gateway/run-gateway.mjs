/** The gateway's part: the same load through the pipe and through the gateway, in turns. */
import { cores, startAsked } from '../lib/children.mjs'
import { forgetPeak, memoryMb, processTree } from '../lib/process-usage.mjs'
import { median, spread } from '../lib/stats.mjs'
import { groups, lanes, parsingLanes, requestFor, upstreamModes } from './scenes.mjs'

export const startUpstream = () =>
  startAsked(new URL('upstream.mjs', import.meta.url), { core: cores.around })
export const startLoad = () => startAsked(new URL('load.mjs', import.meta.url), { core: cores.around })

const modules = {
  pipe: { module: new URL('pipe.mjs', import.meta.url) },
  'parsing pipe': { module: new URL('pipe.mjs', import.meta.url), args: ['--parse'] },
  toolwire: { module: new URL('toolwire.mjs', import.meta.url) },
}

/** @param {keyof typeof modules} name @param {number} upstreamPort */
export async function startSubject(name, upstreamPort, options = {}) {
  const { module, args } = modules[name]
  const child = startAsked(module, { core: cores.measured, args, ...options })
  const { port } = await child.ask('listen', { upstreamPort })
  return { ...child, name, port }
}

/** The upstream, the load and the subjects, ended together. */
export async function openStage(names) {
  const upstream = startUpstream()
  const load = startLoad()
  const { port } = await upstream.ask('listen')
  const subjects = {}
  for (const name of names) subjects[name] = await startSubject(name, port)
  return {
    upstream,
    load,
    subjects,
    port,
    close: () => Promise.all([upstream, load, ...Object.values(subjects)].map(one => one.stop())),
  }
}

/** Closed loops with many connections need longer to show their pace. */
const windowFor = (connections, durationMs) => (connections > 100 ? durationMs * 2 : durationMs)

async function measureGroup(stage, { scene, connections, size = 'small' }, { rounds, durationMs, warmMs }) {
  const events = await stage.upstream.ask('set', upstreamModes[scene])
  const stream = scene !== 'json'
  const taking = connections === 16 ? [...lanes, ...parsingLanes] : lanes
  const samples = taking.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, { subject, from, to }] of taking.entries()) {
      const { port, pid } = stage.subjects[subject]
      const request = requestFor(from, `${to}-model`, { stream, size })
      const window = { warmMs, durationMs: windowFor(connections, durationMs) }
      const pids = processTree(pid)
      samples[i].push(await stage.load.ask('run', { ...request, ...window, port, connections, pids }))
    }
  }
  return taking.map((lane, i) => ({
    scene,
    connections,
    size,
    ...lane,
    events: stream ? events[lane.to] : 1,
    samples: samples[i],
  }))
}

/** All pairs at once before anything counts, so that none pays for the compiler's work on what they share. */
export async function warmUp(stage, name, milliseconds) {
  const { port } = stage.subjects[name]
  for (const scene of ['burst', 'json']) {
    await stage.upstream.ask('set', upstreamModes[scene])
    const run = ({ from, to }) =>
      stage.load.ask('run', {
        ...requestFor(from, `${to}-model`, { stream: scene !== 'json' }),
        port,
        connections: 2,
        warmMs: 0,
        durationMs: milliseconds,
      })
    await Promise.all([...lanes, ...parsingLanes].filter(({ subject }) => subject === name).map(run))
  }
}

/** Each row beside the pipe of the same round that carried the same answer. */
function compare(rows) {
  return rows.map(row => {
    const { samples, events, scene, connections, size, subject, from, to } = row
    const pipe = rows.find(other => other.subject === 'pipe' && other.to === to)
    const over = pick => spread(samples.map((sample, i) => pick(sample, pipe.samples[i])))
    const each = field => spread(samples.map(sample => sample[field]))
    return {
      scene,
      connections,
      size,
      subject,
      from,
      to,
      perSecond: each('perSecond'),
      p50: each('p50'),
      p99: each('p99'),
      firstByteP50: each('firstByteP50'),
      cpuUsPerEvent: spread(samples.map(({ cpuMsEach }) => (cpuMsEach * 1000) / events)),
      busy: each('busy'),
      ownBusy: each('ownBusy'),
      rateRatio: over((a, b) => a.perSecond / b.perSecond),
      cpuRatio: over((a, b) => b.cpuMsEach / a.cpuMsEach),
      addedP50: over((a, b) => a.p50 - b.p50),
      addedP99: over((a, b) => a.p99 - b.p99),
      addedFirstByte: over((a, b) => a.firstByteP50 - b.firstByteP50),
      wrong: samples.reduce((sum, { wrong }) => sum + wrong, 0),
      answers: samples.reduce((sum, { count }) => sum + count, 0),
      faults: Object.assign({}, ...samples.map(({ faults }) => faults)),
    }
  })
}

/**
 * Memory is compared between processes that have just been started and have done the same. When the collector runs is
 * chance, so each is started several times, in turns, and the median counts.
 */
async function measureMemory(pairsOfWork, { durationMs, rounds }) {
  const samples = pairsOfWork.map(() => [])
  for (let round = 0; round < rounds; round++) {
    const measured = await measureMemoryOnce(pairsOfWork, { durationMs })
    for (const [i, sample] of measured.entries()) samples[i].push(sample)
  }
  return pairsOfWork.map((pair, i) => {
    const each = field => median(samples[i].map(sample => sample[field]))
    return {
      ...pair,
      peakMb: each('peakMb'),
      idleStreams: each('idleStreams'),
      idleKbEach: each('idleKbEach'),
    }
  })
}

async function measureMemoryOnce(pairsOfWork, { durationMs }) {
  const out = []
  for (const { subject, from, to } of pairsOfWork) {
    const stage = await openStage([subject])
    const { port, pid } = stage.subjects[subject]
    for (const scene of ['json', 'burst']) {
      await stage.upstream.ask('set', upstreamModes[scene])
      const request = requestFor(from, `${to}-model`, { stream: scene !== 'json' })
      await stage.load.ask('run', { ...request, port, connections: 256, warmMs: 0, durationMs })
    }
    const loaded = memoryMb(processTree(pid))
    const idle = await measureIdle(stage, { subject, from, to })
    out.push({ peakMb: loaded.peak, ...idle })
    await stage.close()
  }
  return out
}

/** 500 streams that have begun and say nothing. */
async function measureIdle(stage, { subject, from, to }) {
  const { port, pid } = stage.subjects[subject]
  await stage.upstream.ask('set', upstreamModes.idle)
  const pids = processTree(pid)
  const before = memoryMb(pids).now
  const request = requestFor(from, `${to}-model`, { stream: true })
  // What a client has not been told yet cannot be waited for: some gateways hold the first event back.
  const { open } = await stage.load.ask('hold', { ...request, port, connections: 500 })
  const after = memoryMb(pids).now
  await stage.load.ask('release')
  return { idleStreams: open, idleKbEach: ((after - before) * 1024) / 500 }
}

/** Small requests alone, and beside one connection that sends huge ones. */
async function measureHuge(stage, { subject, from, to }, { durationMs }) {
  const { port, pid } = stage.subjects[subject]
  await stage.upstream.ask('set', upstreamModes.json)
  const small = { ...requestFor(from, `${to}-model`), port, connections: 16, warmMs: 200, durationMs }
  const huge = {
    ...requestFor(from, `${to}-model`, { size: 'huge' }),
    port,
    connections: 1,
    warmMs: 200,
    durationMs,
  }
  const alone = await stage.load.ask('run', small)
  const pids = processTree(pid)
  forgetPeak(pids)
  const [beside, large] = await Promise.all([stage.load.ask('run', small), stage.load.ask('run', huge)])
  const brief = ({ perSecond, p50, p99, worst, wrong }) => ({ perSecond, p50, p99, worst, wrong })
  return {
    subject,
    from,
    to,
    hugeBytes: huge.body.length,
    alone: brief(alone),
    beside: brief(beside),
    huge: brief(large),
    peakMb: memoryMb(pids).peak,
  }
}

/** @param {{ quick: boolean, say: (text: string) => void }} options */
export async function runGateway({ quick, say }) {
  const plan = quick
    ? { rounds: 1, durationMs: 400, warmMs: 200 }
    : { rounds: 3, durationMs: 400, warmMs: 250 }
  const stage = await openStage(['pipe', 'parsing pipe', 'toolwire'])
  const rows = []
  try {
    for (const name of Object.keys(stage.subjects))
      await warmUp(stage, name, (quick ? 3000 : 12_000) * (name === 'toolwire' ? 2 : 0.5))
    say('gateway: warmed up')
    for (const group of groups) {
      rows.push(...compare(await measureGroup(stage, group, plan)))
      say(`gateway: ${group.scene}, ${group.connections} at a time`)
    }
    const huge = []
    for (const lane of [
      { subject: 'pipe', from: 'chat', to: 'chat' },
      { subject: 'toolwire', from: 'chat', to: 'chat' },
      { subject: 'toolwire', from: 'responses', to: 'chat' },
    ]) {
      huge.push(await measureHuge(stage, lane, { durationMs: quick ? 1500 : 3000 }))
    }
    say('gateway: a huge request beside small ones')
    const memory = await measureMemory(
      [
        { subject: 'pipe', from: 'chat', to: 'chat' },
        { subject: 'toolwire', from: 'chat', to: 'chat' },
        { subject: 'toolwire', from: 'responses', to: 'chat' },
        { subject: 'toolwire', from: 'messages', to: 'responses' },
      ],
      quick ? { durationMs: 800, rounds: 1 } : { durationMs: 2000, rounds: 3 },
    )
    say('gateway: memory and idle streams')
    return { rows, huge, memory }
  } finally {
    await stage.close()
  }
}
