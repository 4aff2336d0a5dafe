/** A separate process that writes to a store, and acknowledges each write on its standard output. */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { write } from './writer-program.ts'

const here = dirname(fileURLToPath(import.meta.url))

/** Bundles the program to one file, in a folder from which it finds its packages. */
export async function buildWriter(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(here, '../../node_modules'), join(folder, 'node_modules'), 'junction')
  const outfile = join(folder, 'writer.mjs')
  await build({
    stdin: {
      contents: `import { ${write.name} as main } from './writer-program.ts'; await main(...process.argv.slice(2))`,
      resolveDir: here,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@photostructure/sqlite'],
    outfile,
    logLevel: 'error',
  })
  return outfile
}

export interface WriterOptions {
  readonly program: string
  readonly path: string
  /** Part of all ids it writes. */
  readonly name: string
  /** Whether it leaves its responses unfinished. */
  readonly unfinished?: boolean
  /** How many it writes. Default: until it is killed. */
  readonly count?: number
  /** Killed with SIGKILL after this many acknowledged writes. */
  readonly killAfter?: number
}

/** Returns the numbers of the acknowledged writes, once the process has ended. */
export async function runWriter(options: WriterOptions): Promise<readonly number[]> {
  const { program, path, name, unfinished = false, count, killAfter } = options
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    [program, path, name, String(count ?? Number.MAX_SAFE_INTEGER), unfinished ? 'unfinished' : ''],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const expected = killAfter === undefined ? code === 0 : signal === 'SIGKILL'
      if (expected) resolve()
      else reject(new Error(`The writer ended with ${code ?? signal}.`))
    })
  })
  const acknowledged: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line))
    if (acknowledged.length === killAfter) child.kill('SIGKILL')
  }
  await ended
  return acknowledged
}
