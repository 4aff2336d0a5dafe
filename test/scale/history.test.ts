/** Several gateways on one store, killed under load together with it: the short form of `npm run scale`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuiltCommand } from '../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { buildCommand } from '../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import type { Start } from '../crash/served-process.ts'
import { openPlace } from './places.ts'
import { runScale } from './run-scale.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-scale-'))
let command: BuiltCommand

beforeAll(async () => {
  command = await buildCommand()
})

afterAll(() => {
  command.remove()
  rmSync(folder, { recursive: true, force: true })
})

const start: Start = (argv, env) => command.start(argv, { XDG_STATE_HOME: folder, ...env })

/** In so many seconds the operations end. What was done until then is judged, however little it is. */
const deadlineMs = 8_000

test.each([
  ['sqlite', 'three gateways', 3, 1],
  ['postgres', 'three gateways', 3, 1],
  ['sqlite', 'three worker processes', 1, 3],
] as const)(
  'On %s, %s that are killed under load, and their server with them, lose, double, tear and mix up nothing.',
  async (name, _, gateways, workers) => {
    const place = await openPlace(name)
    if (place === undefined) return
    const run = { start, gateways, workers, kills: 5, deadlineMs, seed: 19 }
    const report = await runScale({ ...run, ...place }).finally(() => place.stop())
    expect(report.violations).toEqual([])
    expect(report.kills).toBeGreaterThan(1)
    expect(report.restarts).toBe(place.restartStore === undefined ? 0 : Math.floor((report.kills + 1) / 3))
    expect(report.completed).toBeGreaterThan(0)
  },
  300_000,
)
