/**
 * Shows where time goes.
 *   node bench/profile.mjs requests typical responses chat       the library, at one of the benchmark's cases
 *   node bench/profile.mjs gateway json responses chat           the gateway under load: json, burst or paced
 *   node bench/profile.mjs handle json responses chat            the gateway's own work, without sockets
 *   node bench/profile.mjs file.cpuprofile                       what `node --cpu-prof` has written
 */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createInProcess } from './gateway/in-process.mjs'
import { openStage, warmUp } from './gateway/run-gateway.mjs'
import { requestFor, upstreamModes } from './gateway/scenes.mjs'
import { profileText, readProfile } from './lib/cpu-profile.mjs'
import { libraryCases } from './library/cases.mjs'
import { burn } from './library/measure.mjs'

const print = text => process.stdout.write(`${text}\n`)
const read = path => readProfile(JSON.parse(readFileSync(path, 'utf8')))

async function profiled(work) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  const result = await work()
  const { profile } = await session.post('Profiler.stop')
  print(profileText(readProfile(profile), 45))
  return result
}

async function profileHandle([scene = 'json', from = 'responses', to = 'chat', size = 'small']) {
  const one = createInProcess(scene, from, to, size)
  const run = async milliseconds => {
    const cpu = process.cpuUsage()
    const start = performance.now()
    let count = 0
    for (; performance.now() - start < milliseconds; count++) await one()
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / count
  }
  await run(8000)
  const before = await run(2000)
  await profiled(() => run(4000))
  print(`${before.toFixed(1)} µs of CPU a request, before it was profiled`)
}

async function profileLibrary([kind, size, from, to]) {
  const found = libraryCases().find(
    one => one.kind === kind && one.size.startsWith(size) && one.from === from && one.to === to,
  )
  if (found === undefined)
    throw new Error('Give a kind, a size and two wires: requests typical responses chat')
  const { subject, floor } = found.make()
  burn(subject, 6000)
  burn(floor, 300)
  const mine = await profiled(() => burn(subject, 3000))
  const least = burn(floor, 500)
  print(`${mine.cpuUs.toFixed(1)} µs a run while profiled; the floor ${least.cpuUs.toFixed(1)} µs`)
}

async function profileGateway([scene = 'json', from = 'responses', to = 'chat', size = 'small']) {
  const stage = await openStage(['pipe', 'toolwire'])
  const { toolwire } = stage.subjects
  await warmUp(stage, 'pipe', 1000)
  await warmUp(stage, 'toolwire', 6000)
  await stage.upstream.ask('set', upstreamModes[scene])
  const request = requestFor(from, `${to}-model`, { stream: scene !== 'json', size })
  const load = { ...request, connections: 16, warmMs: 1000 }
  const run = ({ port, pid }, durationMs) => stage.load.ask('run', { ...load, port, pids: [pid], durationMs })
  const floor = await run(stage.subjects.pipe, 2000)
  const before = await run(toolwire, 2000)
  await toolwire.ask('startProfile')
  await run(toolwire, 6000)
  print(profileText(readProfile(await toolwire.ask('stopProfile')), 40))
  const tell = ({ perSecond, cpuMsEach, busy }) =>
    `${perSecond.toFixed(0)} answers a second, ${cpuMsEach.toFixed(3)} ms of CPU each, ${(busy * 100).toFixed(0)} % of a core`
  print(`the pipe on the client's wire: ${tell(floor)}\nthe gateway, before it was profiled: ${tell(before)}`)
  await stage.close()
}

const [kind, ...rest] = process.argv.slice(2)
if (kind === undefined) print('Say what: see the head of this file.')
else if (kind.endsWith('.cpuprofile')) print(profileText(read(kind)))
else if (kind === 'gateway') await profileGateway(rest)
else if (kind === 'handle') await profileHandle(rest)
else await profileLibrary([kind, ...rest])
