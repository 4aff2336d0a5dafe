/** Runs a program of the tests without the test runner, made from the sources as they are. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { coreSources } from './core-sources.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * `main` of the program gets the arguments and returns the exit code.
 * @param {string} source
 * @param {readonly string[]} argv
 * @returns {Promise<number>}
 */
export async function runProgram(source, argv) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-program-'))
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    const outfile = join(folder, 'program.mjs')
    await build({
      entryPoints: [join(root, source)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: coreSources,
      outfile,
      sourcemap: 'inline',
      logLevel: 'error',
    })
    const { main } = await import(pathToFileURL(outfile).href)
    return await main(argv)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
