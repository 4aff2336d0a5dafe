/** The code of a worker thread, bundled from the sources as they are now: Node 20 cannot run TypeScript in a thread. */
import { mkdirSync, renameSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'
import { build } from 'esbuild'
import { coreFromSource } from '../house/core-from-source.ts'
import { root } from '../house/source.ts'

/** Inside `node_modules`, so that packages are found from there. */
const folder = `${root}node_modules/.cache/toolwire-workers`

export function buildWorkerFile(): Promise<URL> {
  return bundle('packages/toolwire/src/gateway/workers/worker.ts', 'worker')
}

/** A module of the tests that a worker thread imports. */
export async function bundle(source: string, name: string): Promise<URL> {
  mkdirSync(folder, { recursive: true })
  const file = `${folder}/${name}-${process.pid}.mjs`
  // Tests in other threads of this process may load the file just now, and must not find half of it.
  const outfile = `${folder}/${name}-${process.pid}-${threadId}.new.mjs`
  await build({
    entryPoints: [`${root}${source}`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['gpt-tokenizer', 'undici', '@photostructure/sqlite'],
    plugins: [coreFromSource],
  })
  renameSync(outfile, file)
  return pathToFileURL(file)
}
