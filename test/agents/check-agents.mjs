/**
 * All agents, each against a model on the other wires: `npm run check:agents [-- opencode qwen]`. They come from npm and
 * stay in the user's cache. One that cannot be installed is skipped, and that is said.
 */
import { spawnSync } from 'node:child_process'

const names = process.argv.slice(2)
const env = { ...process.env, TOOLWIRE_AGENTS: names.length === 0 ? 'all' : names.join(',') }
const args = ['vitest', 'run', '--project', 'agents', '--reporter', 'verbose', '--no-file-parallelism']
const { status } = spawnSync('npx', args, { stdio: 'inherit', env, shell: process.platform === 'win32' })
process.exitCode = status ?? 1
