/**
 * The server behind claude-code-router. Made for Messages clients over Chat upstreams; Chat and Responses clients
 * exist too. What a Messages upstream says to another client is passed on in the words of Messages, so those pairs
 * are not counted as something it does. Its module build does not load on Node 20; the CommonJS one does.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const program = `
const { default: Server } = require('@musistudio/llms')
const { PORT, UPSTREAM } = process.env
const provider = (name, path, use) => ({
  name,
  api_base_url: UPSTREAM + path,
  api_key: 'sk-bench-dummy',
  models: ['bench-model'],
  ...(use && { transformer: { use: [use] } }),
})
const providers = [
  provider('chat', '/chat/completions'),
  provider('messages', '/messages', 'Anthropic'),
  provider('responses', '/responses', 'openai-responses'),
]
const initialConfig = { HOST: '127.0.0.1', PORT, providers }
new Server({ logger: false, useJsonFile: false, useEnvFile: false, initialConfig }).start()
`

/** @type {import('./peer.mjs').GatewayPeer} */
export const musistudioLlms = {
  name: '@musistudio/llms',
  version: '1.0.53',
  dependencies: { '@musistudio/llms': '1.0.53' },
  pairs: [
    'messages→chat',
    'messages→messages',
    'messages→responses',
    'chat→chat',
    'chat→responses',
    'responses→responses',
  ],
  prepare: folder => writeFileSync(join(folder, 'serve.cjs'), program),
  command: ({ folder, port, upstreamPort }) => ({
    command: process.execPath,
    args: [join(folder, 'serve.cjs')],
    cwd: folder,
    env: { PORT: String(port), UPSTREAM: `http://127.0.0.1:${upstreamPort}/v1`, NODE_ENV: 'production' },
  }),
  model: ({ to }) => `${to},bench-model`,
  headers: () => ({ authorization: 'Bearer sk-bench-dummy' }),
}
