/**
 * 9router: any client of the three over upstreams that are described through its own interface. Its server file is
 * started, never its command. The package leaves out a file of its database that an install script would fetch; it
 * is put in its place, since install scripts are not run here.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pairs } from '../work/wires.mjs'

const types = {
  chat: { type: 'openai-compatible', apiType: 'chat' },
  responses: { type: 'openai-compatible', apiType: 'responses' },
  messages: { type: 'anthropic-compatible' },
}

/** @type {import('./peer.mjs').GatewayPeer} */
export const nineRouter = {
  name: '9router',
  version: '0.5.69',
  dependencies: { '9router': '0.5.69', 'sql.js': '1.14.1' },
  pairs: pairs.map(({ from, to }) => `${from}→${to}`),
  prepare(folder) {
    const file = 'sql.js/dist/sql-wasm.wasm'
    copyFileSync(
      join(folder, 'node_modules', file),
      join(folder, 'node_modules/9router/app/node_modules', file),
    )
  },
  command({ folder, home, port }) {
    const data = join(home, '9router')
    mkdirSync(data, { recursive: true })
    const app = join(folder, 'node_modules/9router/app')
    return {
      command: process.execPath,
      args: [join(app, 'custom-server.js')],
      cwd: app,
      env: { DATA_DIR: data, PORT: String(port), HOSTNAME: '127.0.0.1', NODE_ENV: 'production' },
    }
  },
  readyPath: '/v1/models',
  /** Its upstreams are told to it, and it gives a key of its own, which every request has to carry. */
  async setUp({ folder, home, port, upstreamPort }) {
    // Its client finds the secret it shares with the server by this variable.
    process.env.DATA_DIR = join(home, '9router')
    const api = createRequire(import.meta.url)(join(folder, 'node_modules/9router/src/cli/api/client.js'))
    api.configure({ host: '127.0.0.1', port })
    const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`
    for (const [name, type] of Object.entries(types)) {
      const made = await api.createProviderNode({ name, prefix: name, baseUrl, ...type })
      if (!made.success) throw new Error(`its interface refused an upstream: ${made.error}`)
      const provider = made.data.node.id
      await api.createApiKeyProvider({ provider, name: `${name}-key`, apiKey: 'sk-bench-dummy' })
    }
    const { data } = await api.createApiKey('bench')
    return { key: data.key }
  },
  model: ({ to }) => `${to}/bench-model`,
  headers: (_pair, { given }) => ({ authorization: `Bearer ${given.key}` }),
}
