/** The code of a worker thread, bundled from the sources as they are now: Node 20 cannot run TypeScript in a thread. */
import { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../house/source.ts'

/** Inside `node_modules`, so that packages are found from there. */
const folder = `${root}node_modules/.cache/toolwire-workers`

export async function buildWorkerFile(): Promise<URL> {
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}/worker-${process.pid}.mjs`
  await build({
    entryPoints: [`${root}packages/toolwire/src/gateway/workers/worker.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['gpt-tokenizer', 'undici'],
    plugins: [
      {
        name: 'core-from-source',
        setup({ onResolve }) {
          onResolve({ filter: /^@toolwire\/core(\/|$)/ }, ({ path }) => {
            const entry = path.slice('@toolwire/core'.length).slice(1)
            const known: Readonly<Record<string, string>> = {
              '': 'index.ts',
              json: 'json/index.ts',
              wires: 'wires/index.ts',
              tokens: 'tokens/index.ts',
            }
            return { path: `${root}packages/core/src/${known[entry] ?? `${entry}.ts`}` }
          })
        },
      },
    ],
  })
  return pathToFileURL(outfile)
}
