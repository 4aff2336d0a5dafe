/** Agents from npm, in a folder of the user's cache: they are large, and nothing else here needs them. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const { XDG_CACHE_HOME: cache, TOOLWIRE_AGENTS_CACHE: chosen } = process.env
const root = chosen || join(cache || join(homedir(), '.cache'), 'toolwire-agents')

export interface Installed {
  /** The folder with its commands. */
  readonly bin: string
}

/** Rejects when it cannot be installed, such as without a network. */
export async function installAgent(name: string, version: string, setup?: string): Promise<Installed> {
  const folder = join(root, `${name.replaceAll('/', '+')}@${version}`)
  const bin = join(folder, 'node_modules', '.bin')
  if (existsSync(bin)) return { bin }
  // Moved into place when it is complete, so that a run that was cut off leaves nothing half done.
  const fresh = `${folder}.${process.pid}`
  try {
    await mkdir(fresh, { recursive: true })
    await writeFile(join(fresh, 'package.json'), '{ "private": true }\n')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...quiet, `${name}@${version}`], fresh)
    if (setup !== undefined) {
      const own = join(fresh, 'node_modules', name)
      await run(process.execPath, [setup], own)
    }
    await rename(fresh, folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return { bin }
}

const patienceMs = 5 * 60_000

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: patienceMs })
    let told = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) resolve()
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}: ${told.trim().slice(-500)}`))
    })
  })
}
