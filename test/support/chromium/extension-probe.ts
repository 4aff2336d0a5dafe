/** Builds the probe as an extension: one file for the worker, and chunks that the page loads on demand. */
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../house/source.ts'

const source = join(root, 'test/extension/probe')

export async function buildProbe(outdir: string): Promise<void> {
  // The bundle must contain the published library, not its source.
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root })
  const common = { bundle: true, format: 'esm', outdir, logLevel: 'error' } as const
  const entry = join(source, 'expose.ts')
  // A service worker cannot load chunks later, so everything is in one file.
  await build({ ...common, entryPoints: { worker: entry } })
  await build({ ...common, entryPoints: { page: entry }, splitting: true, chunkNames: 'chunks/[name]' })
  for (const file of ['manifest.json', 'page.html']) copyFileSync(join(source, file), join(outdir, file))
}
