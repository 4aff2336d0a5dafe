/** Toolwire as a user starts it: the command, with its log, metrics and traces as they are by default. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pairs, wireNames } from '../work/wires.mjs'

const bin = fileURLToPath(new URL('../../packages/toolwire/bin/toolwire.js', import.meta.url))

/** @type {import('./peer.mjs').GatewayPeer} */
export const toolwireServe = {
  name: 'toolwire serve',
  version: 'this commit',
  dependencies: {},
  pairs: pairs.map(({ from, to }) => `${from}→${to}`),
  command({ home, port, upstreamPort }) {
    const own = join(home, 'toolwire')
    mkdirSync(own, { recursive: true })
    const config = {
      port,
      upstreams: wireNames.map(wire => ({
        name: wire,
        wire,
        baseUrl: `http://127.0.0.1:${upstreamPort}/v1`,
        apiKey: 'sk-bench-dummy',
        models: [`${wire}-model`],
      })),
    }
    writeFileSync(join(own, 'config.json'), JSON.stringify(config))
    return {
      command: process.execPath,
      args: [bin, 'serve', '--config', join(own, 'config.json'), '--quiet'],
      cwd: own,
      env: { XDG_STATE_HOME: own, XDG_DATA_HOME: own },
    }
  },
  model: ({ to }) => `${to}-model`,
  headers: () => ({}),
}
