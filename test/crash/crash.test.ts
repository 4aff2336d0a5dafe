/** A gateway that is killed under load, as a process with a file: the short form of `npm run crash`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuiltCommand } from '../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { buildCommand } from '../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { runCrash } from './run-crash.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
let command: BuiltCommand

beforeAll(async () => {
  command = await buildCommand()
})

afterAll(() => {
  command.remove()
  rmSync(folder, { recursive: true, force: true })
})

test('A gateway that is killed ten times under load loses nothing that a client has got.', async () => {
  const { start } = command
  const { violations, completed, kills } = await runCrash({ start, folder, kills: 10, seed: 1 })
  expect(violations).toEqual([])
  expect(kills).toBe(10)
  expect(completed).toBeGreaterThan(20)
})
