/** Processes of the benchmark: started on a core of their own where that can be had, spoken with, and ended. */
import { spawn, spawnSync } from 'node:child_process'
import { createWriteStream, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The core of what is measured, and the one of everything around it. */
export const cores = { measured: 0, around: 1 }

export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
/** What the processes of the benchmark say; kept only when something went wrong. */
const ownLog = join(tmpdir(), `toolwire-bench-${process.pid}.log`)
process.on('exit', code => {
  for (const child of running) child.kill('SIGKILL')
  if (code === 0) rmSync(ownLog, { force: true })
})

/**
 * @param {string} command @param {readonly string[]} args
 * @param {{ core?: number, env?: Record<string, string>, cwd?: string, ipc?: boolean, log?: string, inherit?: boolean }} options
 *   `log` names a file for what the process says; without it, or `inherit`, that is thrown away
 */
export function start(command, args, { core, env = {}, cwd, ipc = false, log, inherit = false } = {}) {
  const isPinned = canPin && core !== undefined
  const [file, given] = isPinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, args]
  const output = inherit ? 'inherit' : log === undefined ? 'ignore' : 'pipe'
  const child = spawn(file, given, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', output, output, ...(ipc ? ['ipc'] : [])],
  })
  if (log !== undefined) {
    const writer = createWriteStream(log, { flags: 'a' })
    child.stdout?.pipe(writer, { end: false })
    child.stderr?.pipe(writer, { end: false })
  }
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

/** Resolves once it has ended. @param {import('node:child_process').ChildProcess} child */
export function stop(child) {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    // One of ours ends by itself when nobody speaks with it any more, and has the time to write a profile.
    if (child.connected) child.disconnect()
    else child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), 3000).unref()
  })
}

/**
 * A module of the benchmark in a process of its own, asked by messages: each `{ id, ask, given }` is answered with
 * `{ id, answer }` or `{ id, error }`. See `serveAsks`.
 * @param {URL} module
 */
export function startAsked(module, { core, args = [], env, execArgv = [] } = {}) {
  const child = start(process.execPath, [...execArgv, module.pathname, ...args], {
    core,
    env,
    ipc: true,
    log: ownLog,
  })
  const waiting = new Map()
  let next = 0
  child.on('message', ({ id, answer, error }) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) one?.resolve(answer)
    else one?.reject(new Error(error))
  })
  child.on('exit', code => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`${module.pathname} ended with ${code}; what it said is in ${ownLog}.`))
    }
    waiting.clear()
  })
  return {
    child,
    pid: /** @type {number} */ (child.pid),
    ask: (ask, given) =>
      new Promise((resolve, reject) => {
        if (!child.connected)
          return reject(new Error(`${module.pathname} has ended; what it said is in ${ownLog}.`))
        const id = ++next
        waiting.set(id, { resolve, reject })
        child.send({ id, ask, given })
      }),
    stop: () => stop(child),
  }
}

/** The other end of `startAsked`. @param {Record<string, (given: any) => unknown>} answers */
export function serveAsks(answers) {
  process.on('message', async ({ id, ask, given }) => {
    try {
      process.send?.({ id, answer: await answers[ask](given) })
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
}
