/** The command `npm run crash`: kills the built gateway, 500 times unless told otherwise. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runCrash } from './run-crash.ts'
import type { Start } from './served-process.ts'

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { kills: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } },
  })
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
  const command = resolve('packages/toolwire/bin/toolwire.js')
  const start: Start = (args, env) =>
    spawn(process.execPath, [command, ...args], { cwd: folder, env: { PATH: process.env.PATH, ...env } })
  const started = performance.now()
  try {
    const { violations, ...report } = await runCrash({
      start,
      folder,
      kills: Number(values.kills),
      seed: Number(values.seed),
      onKill(kills, known) {
        if (kills % 50 === 0) process.stdout.write(`${kills} kills, ${known} responses\n`)
      },
    })
    for (const violation of violations.slice(0, 20)) process.stdout.write(`${violation.slice(0, 1_000)}\n`)
    const seconds = Math.round((performance.now() - started) / 1000)
    const figures = Object.entries(report).map(([name, value]) => `${name} ${value}`)
    process.stdout.write(`${figures.join(', ')}, violations ${violations.length}; ${seconds} s\n`)
    return violations.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
