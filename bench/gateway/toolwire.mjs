/** The gateway as a library: one upstream for each wire, chosen by the model's name, nobody watching. */
import { Session } from 'node:inspector/promises'
import { importEntry } from '../lib/build-entry.mjs'
import { serveAsks } from '../lib/children.mjs'
import { wireNames } from '../work/wires.mjs'

const { createGateway, createNodeServer } = await importEntry('toolwire/gateway')

const session = new Session()

serveAsks({
  async startProfile() {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 300 })
    await session.post('Profiler.start')
  },
  stopProfile: async () => (await session.post('Profiler.stop')).profile,
  /** `more`: further options of the gateway. */
  listen({ upstreamPort, more = {} }) {
    const gateway = createGateway({
      upstreams: wireNames.map(wire => ({
        name: wire,
        wire,
        baseUrl: `http://127.0.0.1:${upstreamPort}/v1`,
        apiKey: 'sk-bench-dummy',
        models: [`${wire}-model`],
      })),
      ...more,
    })
    const server = createNodeServer(gateway)
    return new Promise(resolve =>
      server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port })),
    )
  },
})
