/** Writes the folder that Chrome loads: `npm run extension`, or `node build.mjs <folder>` once the library is installed. */
import { rm } from 'node:fs/promises'
import { build } from 'esbuild'

const here = import.meta.dirname
const outdir = process.argv[2] ?? `${here}/dist`

await rm(outdir, { recursive: true, force: true })
await build({
  absWorkingDir: here,
  entryPoints: ['manifest.json', 'panel.html', 'panel.css', 'panel.js', 'worker.js'],
  loader: { '.json': 'copy', '.html': 'copy', '.css': 'copy' },
  bundle: true,
  // What both need is one chunk, and the panel loads the vocabulary for counting tokens only when it counts.
  splitting: true,
  format: 'esm',
  outdir,
})
console.log(`Load ${outdir} in chrome://extensions, with its developer mode on.`)
