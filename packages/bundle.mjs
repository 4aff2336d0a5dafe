/**
 * After compiling: for each package the few files that Node loads in place of some hundred. Node takes half a millisecond
 * and more to find and link a file, and the gateway is to be ready at once. Bundlers take the files of core as they were
 * compiled, since they leave out more of them; its `exports` say which is which. The application is these files alone, with
 * core in them, so that one package is all that a user installs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const { resolve } = createRequire(import.meta.url)
const folderOf = name => fileURLToPath(new URL(name, import.meta.url))
const manifestOf = name => JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))

/** What the command starts with. The files of threads are found beside the code that starts them. */
const started = [
  { in: './dist/cli/main.js', out: 'main' },
  { in: './dist/gateway/workers/worker.js', out: 'worker' },
  { in: './dist/store/thread/store-thread.js', out: 'store-thread' },
]

for (const name of ['core', 'toolwire']) {
  const isCore = name === 'core'
  const { outputFiles } = await build({
    absWorkingDir: folderOf(name),
    entryPoints: isCore ? entriesOf(name) : [...entriesOf(name), ...started],
    outdir: 'dist/node',
    bundle: true,
    // What two entries share must be there once: errors are known by their class.
    splitting: true,
    format: 'esm',
    platform: isCore ? 'neutral' : 'node',
    target: 'node20',
    ...(isCore ? { packages: 'external' } : { external: externalsOf(manifestOf(name)), alias: coreFiles() }),
    write: false,
  })
  replace(join(folderOf(name), 'dist/node'), outputFiles)
}
shipCoreTypes()
await buildInspector()

/** What others may import. */
function entriesOf(name) {
  return Object.values(manifestOf(name).exports)
    .filter(({ types }) => types !== undefined)
    .map(({ types, node, default: chosen }) => ({
      in: types.replace(/d\.ts$/, 'js'),
      out: basename(node ?? chosen, '.js'),
    }))
}

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
  const copy = (path, as) => ({ path: join(to, as), text: readFileSync(path, 'utf8') })
  replace(to, [
    ...outputFiles,
    copy(from('index.html'), 'index.html'),
    copy(from('icon.svg'), 'inspector.svg'),
    // Its code is in the script, and its licence asks to go along.
    copy(join(dirname(resolve('preact/package.json')), 'LICENSE'), 'preact.LICENSE'),
  ])
}

function externalsOf({ dependencies, optionalDependencies, peerDependencies }) {
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.flatMap(name => [name, `${name}/*`])
}

/** Each entry point of core as it was compiled, of which more can be left out than of its bundles. */
function coreFiles() {
  return Object.fromEntries(
    Object.entries(manifestOf('core').exports).flatMap(([entry, { default: compiled }]) =>
      compiled === undefined ? [] : [[join('@toolwire/core', entry), join(folderOf('core'), compiled)]],
    ),
  )
}

/** The types of the application refer to those of core, which are copied beside them. */
function shipCoreTypes() {
  const dist = join(folderOf('toolwire'), 'dist')
  const copies = join(dist, 'core')
  const compiled = join(folderOf('core'), 'dist')
  const types = filesIn(compiled).filter(file => file.endsWith('.d.ts') && !file.startsWith('node/'))
  replace(
    copies,
    types.map(file => ({ path: join(copies, file), text: readFileSync(join(compiled, file), 'utf8') })),
  )
  const { exports } = manifestOf('core')
  for (const file of filesIn(dist)) {
    if (!file.endsWith('.d.ts') || file.startsWith('core/')) continue
    const path = join(dist, file)
    const text = readFileSync(path, 'utf8')
    // Not in comments, whose examples are for others.
    const own = text.replaceAll(
      /(?<=^(?!\s*\*).*)(['"])@toolwire\/core(\/\w+)?\1/gm,
      (_, quote, entry = '') => {
        const target = join(copies, exports[`.${entry}`].types.replace('./dist/', ''))
        const way = relative(dirname(path), target).replace(/\.d\.ts$/, '.js')
        return quote + (way.startsWith('.') ? way : `./${way}`) + quote
      },
    )
    write(path, own)
  }
}

/** Makes a folder hold these files and no others. */
function replace(folder, files) {
  for (const { path, text } of files) write(path, text)
  const current = new Set(files.map(({ path }) => path))
  for (const file of filesIn(folder))
    if (!current.has(join(folder, file))) rmSync(join(folder, file), { force: true })
}

/**
 * Files that stay the same are not touched, and others are there whole or not at all: a command that is just being started
 * or another build, as of tests that run side by side, may be reading them.
 */
function write(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true })
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}`)
  writeFileSync(unfinished, text)
  renameSync(unfinished, path)
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
}
