/** Installing and starting what Toolwire is compared with. Everything stays in a scratch folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cores, start, stop } from '../lib/children.mjs'

/**
 * @typedef {{ folder: string, home: string, port: number, upstreamPort: number }} Place
 * @typedef {object} GatewayPeer
 * @property {string} name @property {string} version
 * @property {Record<string, string>} dependencies exact
 * @property {Record<string, string>} [overrides]
 * @property {string[]} pairs what it says it can do: the client's wire → the upstream's
 * @property {(folder: string) => void} [prepare] after the installation
 * @property {(place: Place) => { command: string, args: string[], cwd?: string, env?: Record<string, string> }} command
 * @property {string} [readyPath] answers without an upstream, where `setUp` has to come before the first request
 * @property {(place: Place) => Promise<object>} [setUp] once it listens
 * @property {(pair: { from: string, to: string }) => string} model
 * @property {(pair: { from: string, to: string }, given: { upstreamPort: number, given: any }) => Record<string, string>} headers
 */

const scratch = join(tmpdir(), 'toolwire-bench-peers')

/**
 * Installs into the scratch folder, without install scripts, unless an earlier run has.
 * @param {{ name: string, version: string, dependencies: Record<string, string>, overrides?: Record<string, string>, prepare?: (folder: string) => void }} peer
 * @returns {string} the folder
 */
export function install({ name, version, dependencies, overrides, prepare }) {
  const folder = join(scratch, `${name}-${version}`.replaceAll(/[^\w.-]+/g, '-'))
  const done = join(folder, '.installed')
  if (Object.keys(dependencies).length > 0 && !existsSync(done)) {
    mkdirSync(folder, { recursive: true })
    const manifest = { private: true, dependencies, ...(overrides && { overrides }) }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 180_000 })
    if (status !== 0) throw new Error(`npm install failed: ${(stderr ?? '').trim().split('\n').at(-1)}`)
    prepare?.(folder)
    writeFileSync(done, '')
  }
  return folder
}

export function freePort() {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Asks until it answers. @param {() => Promise<boolean>} ask */
async function until(ask, what, child, milliseconds = 30_000) {
  const started = performance.now()
  while (!(await ask())) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} before ${what}`)
    if (performance.now() - started > milliseconds) throw new Error(`no ${what} within ${milliseconds} ms`)
    await sleep(5)
  }
}

/**
 * Starts a gateway and waits until it has answered a request through the upstream.
 * @param {GatewayPeer} peer @param {string} folder
 * @param {{ upstreamPort: number, once: (given: object) => Promise<{ status: number, text: string }>, request: (pair: { from: string, to: string }, model: string) => object }} stage
 */
export async function startPeer(peer, folder, { upstreamPort, once, request }) {
  const port = await freePort()
  const home = mkdtempSync(join(tmpdir(), 'toolwire-bench-home-'))
  const place = { folder, home, port, upstreamPort }
  const { command, args, cwd, env } = peer.command(place)
  const log = join(home, 'log.txt')
  const started = performance.now()
  const child = start(command, args, { core: cores.measured, cwd, env: { ...env, HOME: home }, log })
  const close = async () => {
    await stop(child)
    rmSync(home, { recursive: true, force: true })
  }
  try {
    if (peer.readyPath !== undefined) {
      const answers = () =>
        fetch(`http://127.0.0.1:${port}${peer.readyPath}`).then(
          ({ status }) => status < 500,
          () => false,
        )
      await until(answers, 'answer', child)
    }
    const listeningMs = performance.now() - started
    const given = (await peer.setUp?.(place)) ?? {}
    const headers = pair => peer.headers(pair, { upstreamPort, given })
    const [from, to] = peer.pairs[0].split('→')
    const first = { ...request({ from, to }, peer.model({ from, to })), headers: headers({ from, to }) }
    await until(async () => (await once({ ...first, port })).status === 200, 'right answer', child)
    // What a set-up by hand takes is not the start's.
    const readyMs = peer.setUp === undefined ? performance.now() - started : listeningMs
    return { peer, child, port, headers, readyMs, close }
  } catch (error) {
    await close()
    throw error
  }
}
