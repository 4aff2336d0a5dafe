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

await buildInspector()

/** The page of the gateway: three static files, which the gateway serves from memory. */
async function buildInspector() {
  const from = name => fileURLToPath(new URL(`inspector/src/${name}`, import.meta.url))
  const to = fileURLToPath(new URL('toolwire/dist/inspector', import.meta.url))
  const { outputFiles } = await build({
    entryPoints: { inspector: from('main.tsx') },
    outdir: to,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Model text may be in any script.
    charset: 'utf8',
    write: false,
  })
  const copy = (name, as) => ({ path: join(to, as), text: readFileSync(from(name), 'utf8') })
  replace(to, [...outputFiles, copy('index.html', 'index.html'), copy('icon.svg', 'inspector.svg')])
}

/** What others may import, and what the command starts with. */
function entriesOf({ exports, bin }) {
  const entries = Object.values(exports)
    .filter(({ node }) => node !== undefined)
    .map(({ node, default: compiled }) => ({ in: compiled, out: basename(node, '.js') }))
  if (bin === undefined) return entries
  // The file of a worker thread is found beside the code that starts it.
  const started = { in: './dist/cli/main.js', out: 'main' }
  return [...entries, started, { in: './dist/gateway/workers/worker.js', out: 'worker' }]
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
