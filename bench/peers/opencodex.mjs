/**
 * opencodex: any client of the three over any upstream of the three. Runs on the Bun that it ships; its server is
 * started through its published entry, since its command would also set up the user's Codex.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pairs } from '../work/wires.mjs'

const program = `
import { startServer } from '@bitkyc08/opencodex'
startServer(Number(process.env.PORT))
`

/** @type {import('./peer.mjs').GatewayPeer} */
export const opencodex = {
  name: '@bitkyc08/opencodex',
  version: '2.63.0',
  dependencies: { '@bitkyc08/opencodex': '2.63.0' },
  pairs: pairs.map(({ from, to }) => `${from}→${to}`),
  prepare: folder => writeFileSync(join(folder, 'serve.ts'), program),
  command({ folder, home, port, upstreamPort }) {
    const provider = (adapter, baseUrl) => ({
      adapter,
      baseUrl,
      apiKey: 'sk-bench-dummy',
      defaultModel: 'bench-model',
      models: ['bench-model'],
      allowPrivateNetwork: true,
    })
    const origin = `http://127.0.0.1:${upstreamPort}`
    const config = {
      port,
      defaultProvider: 'chat',
      providers: {
        chat: provider('openai-chat', `${origin}/v1`),
        messages: provider('anthropic', origin),
        responses: provider('openai-responses', `${origin}/v1`),
      },
    }
    const own = join(home, 'opencodex')
    const codex = join(home, 'codex')
    for (const path of [own, codex]) mkdirSync(path, { recursive: true })
    writeFileSync(join(own, 'config.json'), JSON.stringify(config))
    const [platform = ''] = readdirSync(join(folder, 'node_modules/@oven'))
    return {
      command: join(folder, 'node_modules/@oven', platform, 'bin/bun'),
      args: ['run', join(folder, 'serve.ts')],
      cwd: folder,
      env: { PORT: String(port), OPENCODEX_HOME: own, CODEX_HOME: codex },
    }
  },
  model: ({ to }) => `${to}/bench-model`,
  headers: () => ({ authorization: 'Bearer sk-bench-dummy' }),
}
