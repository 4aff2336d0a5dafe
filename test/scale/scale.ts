/**
 * The command `npm run scale`: three gateways on each store, and three worker processes, 30 kills each unless told otherwise or
 * 300 seconds are over.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Start } from '../crash/served-process.ts'
import { openPlace, type PlaceName, placeNames } from './places.ts'
import { runScale } from './run-scale.ts'

const forms: readonly string[] = ['gateways', 'workers']

const help = `Usage: npm run scale -- [options]
  --store ${placeNames.join('|')}   Which stores (all); repeat for several
  --form ${forms.join('|')}           Three gateways, or one with three worker processes (both)
  --kills N --seconds N --seed N    For each store and form (30, 300, 1)
Exit code 1 if a response was lost, doubled, torn or foreign.
`

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      kills: { type: 'string', default: '30' },
      seconds: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', multiple: true, default: [...placeNames] },
      form: { type: 'string', multiple: true, default: [...forms] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const isWrong = (name: string, known: readonly string[]): boolean => !known.includes(name)
  const wrong =
    values.store.find(name => isWrong(name, placeNames)) ?? values.form.find(name => isWrong(name, forms))
  if (values.help || wrong !== undefined) {
    process.stdout.write(wrong === undefined ? help : `There is no "${wrong}".\n${help}`)
    return wrong === undefined ? 0 : 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-scale-'))
  const command = resolve('packages/toolwire/bin/toolwire.js')
  // From its own folder the packages for the servers are found.
  const start: Start = (args, env) =>
    spawn(process.execPath, [command, ...args], {
      env: { PATH: process.env.PATH, XDG_STATE_HOME: folder, ...env },
    })
  let worst = 0
  for (const name of values.store as PlaceName[]) {
    for (const form of values.form) {
      const [gateways, workers] = form === 'workers' ? [1, 3] : [3, 1]
      const place = await openPlace(name)
      const title = `${name}, ${gateways === 1 ? `${workers} worker processes` : `${gateways} gateways`}`
      if (place === undefined) {
        process.stdout.write(`${title}: its server is not installed\n`)
        continue
      }
      const begun = performance.now()
      const deadlineMs = 1_000 * Number(values.seconds)
      const run = {
        kills: Number(values.kills),
        seed: Number(values.seed),
        deadlineMs,
        start,
        gateways,
        workers,
      }
      const { violations, counts, ...report } = await runScale({ ...run, ...place }).finally(() =>
        place.stop(),
      )
      for (const violation of violations.slice(0, 20)) process.stdout.write(`${violation.slice(0, 1_000)}\n`)
      const figures = Object.entries({ ...report, ...counts }).map(([what, value]) => `${what} ${value}`)
      const seconds = Math.round((performance.now() - begun) / 1000)
      process.stdout.write(`${title}: ${figures.join(', ')}, violations ${violations.length}; ${seconds} s\n`)
      worst = Math.max(worst, violations.length)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  return worst === 0 ? 0 : 1
}
