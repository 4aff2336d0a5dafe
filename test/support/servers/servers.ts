/** Real servers for stores, on free ports and in folders of their own. `undefined` where they are not installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { answers, asOtherUser, freePort, installed } from './installed.ts'

export interface TestServer {
  readonly url: string
  /** Ends the process, as a crash would, and starts it again on the same data and port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startRedis(): Promise<TestServer | undefined> {
  const program = installed('redis-server', 'redis-server') ?? installed('valkey-server', 'valkey-server')
  if (program === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-redis-'))
  const port = await freePort()
  // What it acknowledged is in the file before that, which outlives the process; only a power cut would need the disk.
  const flags = `--port ${port} --bind 127.0.0.1 --dir ${folder} --appendonly yes --appendfsync no --save`
  const url = `redis://127.0.0.1:${port}`
  return serve({ command: [program, ...flags.split(' '), ''], folder, port, url, killedBy: 'SIGKILL' })
}

export async function startPostgres(): Promise<TestServer | undefined> {
  const program = installed('postgres', 'postgresql')
  const initdb = installed('initdb', 'postgresql')
  const ready = installed('pg_isready', 'postgresql-client')
  if (program === undefined || initdb === undefined || ready === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-postgres-'))
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync('/var/lib/postgresql')
    chownSync(folder, uid, gid)
  }
  const [make = '', ...made] = asOtherUser([
    initdb,
    '-D',
    folder,
    '-U',
    'toolwire',
    '-A',
    'trust',
    '--no-sync',
  ])
  const { status, stderr } = spawnSync(make, [...made, '--locale=C.UTF-8', '-E', 'UTF8'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
  const port = await freePort()
  const flags = `-p ${port} -h 127.0.0.1 -k ${folder} -c fsync=off -c max_connections=200`
  const command = asOtherUser([program, '-D', folder, ...flags.split(' ')])
  const url = `postgres://toolwire@127.0.0.1:${port}/postgres`
  // It listens before it has repaired its data, and refuses whoever comes until then.
  const isReady = async (): Promise<boolean> =>
    spawnSync(ready, ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0
  // It takes its other processes with it, and repairs its data at the next start.
  return serve({ command, folder, port, url, killedBy: 'SIGQUIT', isReady })
}

interface Served {
  readonly command: readonly string[]
  readonly folder: string
  readonly port: number
  readonly url: string
  readonly killedBy: NodeJS.Signals
  /** Whether it serves; otherwise it is enough that somebody listens. */
  isReady?(): Promise<boolean>
}

async function serve(served: Served): Promise<TestServer> {
  const { command: words, folder, port, url, killedBy, isReady = () => answers(port) } = served
  const [command = '', ...args] = words
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    // A group of its own, since `runuser` does not pass every signal on.
    child = spawn(command, args, { stdio: 'ignore', detached: true })
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error(`${command} ended with code ${child.exitCode}.`)
      await pause(50)
    }
  }
  const end = async (): Promise<void> => {
    const ended = new Promise(resolve => child?.once('exit', resolve))
    if (child?.pid === undefined || child.exitCode !== null) return
    process.kill(-child.pid, killedBy)
    await ended
    while (await answers(port)) await pause(50)
  }
  await start()
  return {
    url,
    async restart() {
      await end()
      await start()
    },
    async stop() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
