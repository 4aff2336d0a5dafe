/** The command as a process of its own, made from the sources as they are, so that no stale build is tested. */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const packages = fileURLToPath(new URL('../../../../', import.meta.url))
const own = join(packages, 'toolwire')

export interface BuiltCommand {
  /** The words that run it from any folder. */
  words(argv: readonly string[]): readonly string[]
  start(argv: readonly string[], env: Readonly<Record<string, string>>): ChildProcess
  remove(): void
}

/** Inside `node_modules`, from where the dependencies are found and which nobody commits. */
export async function buildCommand(): Promise<BuiltCommand> {
  const cache = join(own, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'command-'))
  copyFileSync(join(own, 'package.json'), join(directory, 'package.json'))
  await build({
    entryPoints: { 'cli/main': join(own, 'src/cli/main.ts') },
    outdir: join(directory, 'dist'),
    bundle: true,
    splitting: true,
    // At the depth of the real files, which look for the package's own from there.
    chunkNames: 'cli/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    alias: coreSources(),
  })
  const main = join(directory, 'dist/cli/main.js')
  return {
    words: argv => [process.execPath, main, ...argv],
    start(argv, env) {
      return spawn(process.execPath, [main, ...argv], {
        cwd: directory,
        env: { PATH: process.env.PATH, ...env },
      })
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Each published entry point of core, as the source it is built from. */
function coreSources(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(packages, 'core/package.json'), 'utf8')) as {
    exports: Record<string, { default?: string }>
  }
  return Object.fromEntries(
    Object.entries(exports).flatMap(([entry, { default: compiled }]) => {
      const source = compiled?.replace('dist', 'src').replace(/js$/, 'ts')
      return source === undefined ? [] : [[join('@toolwire/core', entry), join(packages, 'core', source)]]
    }),
  )
}
