/**
 * After compiling: for each package the few files that Node loads in place of some hundred. Node takes half a millisecond
 * and more to find and link a file, and the gateway is to be ready at once. Bundlers take the files as they were compiled,
 * since they leave out more of them; `exports` of each package says which is which.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

for (const name of ['core', 'toolwire']) {
  const root = fileURLToPath(new URL(name, import.meta.url))
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entriesOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))),
    outdir: 'dist/node',
    bundle: true,
    // What two entries share must be there once: errors are known by their class.
    splitting: true,
    format: 'esm',
    platform: name === 'core' ? 'neutral' : 'node',
    target: 'node20',
    packages: 'external',
    write: false,
  })
  replace(join(root, 'dist/node'), outputFiles)
}

/** What others may import, and what the command starts with. */
function entriesOf({ exports, bin }) {
  const entries = Object.values(exports)
    .filter(({ node }) => node !== undefined)
    .map(({ node, default: compiled }) => ({ in: compiled, out: basename(node, '.js') }))
  if (bin === undefined) return entries
  // The files of threads are found beside the code that starts them.
  const started = { in: './dist/cli/main.js', out: 'main' }
  const worker = { in: './dist/gateway/workers/worker.js', out: 'worker' }
  return [...entries, started, worker, { in: './dist/store/thread/store-thread.js', out: 'store-thread' }]
}

/** Files that stay the same are not touched: a command that is just being started may be reading them. */
function replace(folder, files) {
  mkdirSync(folder, { recursive: true })
  for (const { path, text } of files) {
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
  }
  const current = new Set(files.map(({ path }) => basename(path)))
  for (const file of readdirSync(folder)) if (!current.has(file)) rmSync(join(folder, file))
}
