/**
 * The benchmark: `node bench/run.mjs [--only library|gateway|peers|startup|loop|fair|watching|workers|stores|inspector] [--quick] [--out folder]`. Writes
 * `latest.md` and `latest.json` into `bench/results`, or into the folder that is named. With `--baseline checkout` it
 * compares the library and the gateway of two builds instead, and writes `baseline.md` and `baseline.json`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { baselineSummary, baselineText } from './baseline/report.mjs'
import { baselineParts, runBaseline } from './baseline/run-baseline.mjs'
import { runFair } from './fair/run-fair.mjs'
import { runGateway } from './gateway/run-gateway.mjs'
import { runInspector } from './inspector/run-inspector.mjs'
import { cores, start } from './lib/children.mjs'
import { judgeGoals } from './lib/goals.mjs'
import { commitOf, machineFacts } from './lib/machine.mjs'
import { reportText } from './lib/report.mjs'
import { runLoop } from './loop/run-loop.mjs'
import { runPeers } from './peers/run-peers.mjs'
import { runStores } from './scale/run-stores.mjs'
import { runWorkers } from './scale/run-workers.mjs'
import { runStartup } from './startup/run-startup.mjs'
import { runWatching } from './watching/run-watching.mjs'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    baseline: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('results', import.meta.url)) },
  },
})
const { quick } = values
const begun = performance.now()
const say = text =>
  process.stdout.write(`${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)

/** A worker that reports by messages, on the core of what is measured. */
function runWorker(path) {
  return new Promise((done, failed) => {
    const args = [fileURLToPath(new URL(path, import.meta.url)), ...(quick ? ['--quick'] : [])]
    const child = start(process.execPath, args, { core: cores.measured, ipc: true, inherit: true })
    let result
    child.on('message', message => {
      if (message.progress !== undefined) say(`${path.split('/')[1]}: ${message.progress}`)
      else result = message.result
    })
    child.on('exit', code =>
      result === undefined ? failed(new Error(`${path} ended with ${code} and gave nothing.`)) : done(result),
    )
  })
}

const parts = {
  gateway: () => runGateway({ quick, say }),
  peers: async () => ({
    ...(await runPeers({ quick, say })),
    libraries: await runWorker('./peers/library-worker.mjs'),
  }),
  library: () => runWorker('./library/worker.mjs'),
  startup: () => runStartup({ quick, say }),
  loop: () => runLoop({ quick, say }),
  fair: () => runFair({ quick, say }),
  watching: () => runWatching({ quick, say }),
  workers: () => runWorkers({ quick, say }),
  stores: () => runStores({ quick, say }),
  inspector: () => runInspector({ quick, say }),
}

const names = Object.keys(values.baseline === undefined ? parts : baselineParts)
const unknown = values.only.find(name => !names.includes(name))
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}". The parts are ${names.join(', ')}.\n`)
  process.exit(2)
}

const facts = machineFacts()
const folder = resolve(values.out)
mkdirSync(folder, { recursive: true })

if (values.baseline !== undefined) {
  const baseline = resolve(values.baseline)
  const rows = await runBaseline({ folder: baseline, only: values.only, quick, say })
  const seconds = (performance.now() - begun) / 1000
  Object.assign(facts, { baseline: commitOf(baseline), seconds, quick })
  const text = baselineText({ facts, rows })
  writeFileSync(join(folder, 'baseline.json'), `${JSON.stringify({ facts, rows })}\n`)
  writeFileSync(join(folder, 'baseline.md'), text)
  process.stdout.write(`\n${text}\n`)
  say(`${baselineSummary(rows)}; written to ${join(folder, 'baseline.md')}`)
  process.exit()
}

const measured = {}
for (const [name, work] of Object.entries(parts)) {
  if (values.only.length > 0 && !values.only.includes(name)) continue
  measured[name] = await work()
}
Object.assign(facts, { seconds: (performance.now() - begun) / 1000, quick })
const goals = judgeGoals(measured)
writeFileSync(join(folder, 'latest.json'), `${JSON.stringify({ facts, goals, parts: measured })}\n`)
writeFileSync(join(folder, 'latest.md'), reportText({ facts, goals, parts: measured }))

for (const { goal, wanted, text, met, worst } of goals) {
  const mark = met === undefined ? '·' : met ? '✓' : '✗'
  say(
    `${mark} ${goal}: ${text || 'not measured'} (wanted ${wanted})${met === false ? `, worst at ${worst}` : ''}`,
  )
}
say(`written to ${join(folder, 'latest.md')}`)
process.exit()
