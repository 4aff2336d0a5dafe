/** Where and on what a run was made. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { canPin } from './children.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

function git(folder, ...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}

/** @param {string} folder of a checkout */
export const commitOf = folder => git(folder, 'rev-parse', '--short=12', 'HEAD') || 'unknown'

const versionOf = path =>
  JSON.parse(readFileSync(new URL(`../../${path}/package.json`, import.meta.url), 'utf8')).version

export function machineFacts() {
  return {
    date: new Date().toISOString(),
    commit: commitOf(root),
    changed: git(root, 'status', '--porcelain') !== '',
    node: process.version,
    v8: process.versions.v8,
    toolwire: versionOf('packages/toolwire'),
    core: versionOf('packages/core'),
    undici: versionOf('node_modules/undici'),
    system: `${platform()} ${release()} ${arch()}`,
    processor: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    pinned: canPin,
    /** Above the number of cores, somebody else was working too. */
    loadBefore: loadavg()[0],
  }
}
