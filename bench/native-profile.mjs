/**
 * Where the gateway's time goes beside the pipe's, with what V8's own profiler hides: built-ins, the collector, the
 * compiler and the kernel. Needs Linux and `perf`. Writes a table in Markdown.
 *   node bench/native-profile.mjs json chat chat            whole answers; also burst and paced
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLoad, startSubject, startUpstream } from './gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from './gateway/scenes.mjs'
import { compiledPlace } from './lib/bundled-place.mjs'
import { median } from './lib/stats.mjs'

const [scene = 'json', from = 'chat', to = 'chat'] = process.argv.slice(2)
const rows = 30
const flags = ['--perf-basic-prof', '--interpreted-frames-native-stack']

/** Which part of the process a sample belongs to: its innermost JavaScript function, or what runs beside it. */
function ownerOf(frames) {
  const script = frames.find(frame => frame.startsWith('JS:'))
  if (script !== undefined) {
    const name = script
      .replace(/^JS:[*^~+']*/, '')
      .replace(/(?:file:\/\/)?(\/\S+\.js):(\d+)(?::\d+)?/, inCompiled)
    return name.replaceAll(/\S*\/(packages|node_modules)\//g, '').replaceAll('/dist/', '/')
  }
  if (frames.some(frame => /Scaveng|Mark|Sweep/.test(frame))) return '(garbage collector)'
  if (frames.some(frame => /ompil/.test(frame))) return '(compiler)'
  return frames.some(frame => frame.includes('syscall')) ? '(kernel)' : '(the rest of Node)'
}

function inCompiled(_, file, at) {
  const { path, line } = compiledPlace(file, Number(at))
  return `${path}:${line}`
}

/** @returns {Map<string, number>} the share of each owner */
function readProfile(file) {
  const given = ['script', '-i', file, '-F', 'tid,ip,sym', '--no-inline']
  const { stdout } = spawnSync('perf', given, { encoding: 'utf8', maxBuffer: 2 ** 30 })
  const counts = new Map()
  let all = 0
  for (const sample of stdout.split('\n\n')) {
    const frames = sample.split('\n').flatMap(line => /^\s*[0-9a-f]+\s+(.*)$/.exec(line)?.[1] ?? [])
    if (frames.length === 0) continue
    const owner = ownerOf(frames)
    counts.set(owner, (counts.get(owner) ?? 0) + 1)
    all++
  }
  return new Map([...counts].map(([owner, count]) => [owner, count / all]))
}

async function startProfiled(name, { load, port }) {
  const subject = await startSubject(name, port, { execArgv: flags })
  const request = requestFor(name === 'pipe' ? to : from, `${to}-model`, { stream: scene !== 'json' })
  const target = { ...request, port: subject.port, connections: 16, pids: [subject.pid], warmMs: 0 }
  return { ...subject, run: durationMs => load.ask('run', { ...target, durationMs }) }
}

/** What one answer costs, measured in turns, in µs. */
async function measure(subjects, rounds) {
  const samples = subjects.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, { run }] of subjects.entries()) samples[i].push((await run(1500)).cpuMsEach * 1000)
  }
  return samples.map(median)
}

async function record({ name, pid, run }, folder) {
  const file = join(folder, `${name}.data`)
  const perf = spawn('perf', ['record', '-F', '999', '-g', '-o', file, '-p', String(pid)], {
    stdio: 'ignore',
  })
  await run(5000)
  perf.kill('SIGINT')
  await new Promise(resolve => perf.on('exit', resolve))
  return readProfile(file)
}

if (spawnSync('perf', ['--version']).error !== undefined) {
  process.stderr.write('This needs `perf` (on Debian: apt install linux-perf).\n')
  process.exit(2)
}
const upstream = startUpstream()
const load = startLoad()
const { port } = await upstream.ask('listen')
await upstream.ask('set', upstreamModes[scene])
const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-perf-'))
const subjects = [
  await startProfiled('toolwire', { load, port }),
  await startProfiled('pipe', { load, port }),
]
for (const { run, name } of subjects) await run(name === 'pipe' ? 5000 : 20_000)
const [ownEach, pipeEach] = await measure(subjects, 4)
const [ownShares, pipeShares] = [await record(subjects[0], folder), await record(subjects[1], folder)]
const listed = [...new Set([...ownShares.keys(), ...pipeShares.keys()])]
  .map(owner => ({
    owner,
    own: (ownShares.get(owner) ?? 0) * ownEach,
    pipe: (pipeShares.get(owner) ?? 0) * pipeEach,
  }))
  .sort((a, b) => b.own - b.pipe - (a.own - a.pipe))
  .slice(0, rows)
const line = (own, other, owner) =>
  `| ${own.toFixed(1)} | ${other.toFixed(1)} | ${(own - other).toFixed(1)} | ${owner} |`
process.stdout.write(
  [
    `### ${scene}, ${from} → ${to}`,
    '',
    '| gateway µs | pipe µs | difference | where |',
    '| --- | --- | --- | --- |',
    line(ownEach, pipeEach, '**one answer**'),
    ...listed.map(({ owner, own, pipe: other }) => line(own, other, `\`${owner}\``)),
    '',
    '',
  ].join('\n'),
)
rmSync(folder, { recursive: true, force: true })
await Promise.all([...subjects, upstream, load].map(one => one.stop()))
process.exit()
