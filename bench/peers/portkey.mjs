/**
 * Portkey's gateway. It takes Chat for every provider it knows, and Messages and Responses only for providers that
 * speak them: there is no Messages or Responses client over a Chat upstream. The provider and its address come with
 * each request, in headers. Without the two pins its streams fail on Node 20.
 */
import { join } from 'node:path'

/** @type {import('./peer.mjs').GatewayPeer} */
export const portkey = {
  name: '@portkey-ai/gateway',
  version: '1.15.2',
  dependencies: { '@portkey-ai/gateway': '1.15.2', '@hono/node-server': '1.13.8', hono: '4.9.7' },
  overrides: { '@hono/node-server': '1.13.8', hono: '4.9.7' },
  pairs: ['chat→chat', 'chat→messages', 'messages→messages', 'responses→responses'],
  command: ({ folder, port }) => ({
    command: process.execPath,
    args: [
      join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'),
      `--port=${port}`,
      '--headless',
    ],
    env: { NODE_ENV: 'production' },
  }),
  model: () => 'bench-model',
  headers: ({ to }, { upstreamPort }) => ({
    'x-portkey-provider': to === 'messages' ? 'anthropic' : 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
    authorization: 'Bearer sk-bench-dummy',
  }),
}
