/**
 * The packages of the build that is measured: this checkout's, or that of the checkout `BENCH_BUILD` names. Both are
 * found in the same way, through the entry points that the packages publish.
 */
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const ownFolder = realpathSync(fileURLToPath(new URL('../..', import.meta.url)))

/** What to start a process with, so that it measures the build in this folder. @param {string} folder */
export const buildEnv = folder => ({ BENCH_BUILD: folder })

/** Where an entry point is. @param {string} name @param {string} folder of a checkout */
export function entryPath(name, folder) {
  const root = realpathSync(folder)
  const path = createRequire(join(root, 'package.json')).resolve(name)
  // A checkout without its own node_modules would silently be given the packages of a folder above it.
  if (!path.startsWith(root + sep)) throw new Error(`${name} of ${root} is ${path}, which is another build.`)
  return path
}

/** @param {string} name an entry point, such as `@toolwire/core` */
export const importEntry = name =>
  import(pathToFileURL(entryPath(name, process.env.BENCH_BUILD ?? ownFolder)).href)
