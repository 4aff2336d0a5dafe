/**
 * The gateway as `toolwire serve` makes it, watched or not: with `--watched` it has the log, metrics, traces and the count of
 * what was used that the command has by default. Both come from the compiled files, since no entry point has the command's parts.
 */
import { createGateway, createNodeServer } from '../../packages/toolwire/dist/gateway/index.js'
import { serveAsks } from '../lib/children.mjs'
import { wireNames } from '../work/wires.mjs'

async function watching(upstreams) {
  const { watchersFor } = await import('../../packages/toolwire/dist/cli/serve/observers.js')
  const { keepUsage } = await import('../../packages/toolwire/dist/cli/serve/usage.js')
  const settings = {
    log: {},
    trace: {},
    otel: false,
    keys: [],
    operatorKeys: [],
    sealKeys: [],
    tenants: [],
    prices: [],
    upstreams,
  }
  const usage = keepUsage(() => settings, undefined, { every: () => () => {} })
  const io = { stderr: process.stderr, env: {} }
  return (await watchersFor(settings, { version: 'bench', store: 'none', usage }, io)).watching
}

serveAsks({
  async listen({ upstreamPort }) {
    const upstreams = wireNames.map(wire => ({
      name: wire,
      wire,
      baseUrl: `http://127.0.0.1:${upstreamPort}/v1`,
      apiKey: 'sk-bench-dummy',
      models: [`${wire}-model`],
    }))
    const { makeObjectsYoung } = await import('../../packages/toolwire/dist/platform/heap.js')
    makeObjectsYoung()
    const watched = process.argv.includes('--watched') ? await watching(upstreams) : {}
    const server = createNodeServer(createGateway({ upstreams, ...watched }))
    return new Promise(resolve =>
      server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port })),
    )
  },
})
