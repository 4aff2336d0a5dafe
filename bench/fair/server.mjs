/**
 * The gateway that is measured: two keys, two upstreams, and a port of its own for probes, as `serve --health-port` has
 * it. The upstreams are inside, so that no third process takes part.
 */
import { serveAsks } from '../lib/children.mjs'

const build = new URL('../../packages/toolwire/dist/', import.meta.url)
const { createGateway, createMemoryStore, createNodeServer } = await import(new URL('node/gateway.js', build))
const { watchHealth } = await import(new URL('cli/serve/health.js', build))

const body = Buffer.from(
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'word '.repeat(200) }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
)

const answeringAfter = milliseconds => (_request, receiver) => {
  const timer = setTimeout(() => {
    receiver.head(200, { 'content-type': 'application/json' })
    receiver.data(body)
    receiver.end()
  }, milliseconds)
  return { pause: () => {}, resume: () => {}, abort: () => clearTimeout(timer) }
}

const upstream = (name, milliseconds) => ({
  name,
  wire: 'chat',
  baseUrl: `http://${name}.invalid/v1`,
  models: [name],
  transport: answeringAfter(milliseconds),
})

const gateway = createGateway({
  upstreams: [upstream('flooded', 5), upstream('at-once', 0), upstream('usual', 50)],
  keys: ['key-of-the-flood', 'key-of-the-other'],
  store: createMemoryStore(),
})
const server = createNodeServer(gateway)

serveAsks({
  async listen() {
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    const every = (milliseconds, act) => {
      const timer = setInterval(act, milliseconds)
      return () => clearInterval(timer)
    }
    const settings = { host: '127.0.0.1', healthPort: 0 }
    const health = await watchHealth(settings, gateway, { every })
    return { port: server.address().port, healthPort: health?.port }
  },
})
