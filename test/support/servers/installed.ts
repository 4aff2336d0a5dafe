/** Programs of the system that tests start. As root on Debian, what is missing is installed; elsewhere such tests are skipped, aloud. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

const isRoot = process.getuid?.() === 0

/** The path of a program, or `undefined` with the reason on the console. */
export function installed(program: string, packageName: string): string | undefined {
  const found = find(program)
  if (found !== undefined) return found
  if (isRoot && find('apt-get') !== undefined) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const install = ['install', '-y', '--no-install-recommends', packageName]
    if (spawnSync('apt-get', install, { env }).status !== 0) {
      spawnSync('apt-get', ['update'], { env })
      spawnSync('apt-get', install, { env })
    }
  }
  const now = find(program)
  if (now === undefined)
    process.stderr.write(`SKIPPED: ${program} is not installed (package ${packageName}).\n`)
  return now
}

function find(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', ...postgresFolders()]
  return folders.map(folder => join(folder, program)).find(path => existsSync(path))
}

/** Debian has a folder for each version, which is not in the path. */
function postgresFolders(): readonly string[] {
  const root = '/usr/lib/postgresql'
  return existsSync(root) ? readdirSync(root).map(version => join(root, version, 'bin')) : []
}

/** Postgres refuses to run as root. */
export function asOtherUser(command: readonly string[]): readonly string[] {
  return isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Whether somebody listens there. */
export function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
