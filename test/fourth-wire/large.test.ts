/** Large requests on a wire of one's own: a worker thread has the wire from the module that the configuration named. */
import { builtInWires, defineTool } from '@toolwire/core'
import type { ScriptedTurn } from '@toolwire/core/testing'
import { calls, createScriptedModel, says } from '@toolwire/core/testing'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createGateway } from '../../packages/toolwire/src/gateway/create-gateway.ts'
import { createFetchHandler } from '../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import type { GatewayOptions } from '../../packages/toolwire/src/gateway/settings.ts'
import { createFetchTransport } from '../../packages/toolwire/src/gateway/upstream/fetch-transport.ts'
import { buildWorkerFile, bundle } from '../support/gateway/worker-file.ts'
import type { Reply } from './client.ts'
import { send, user } from './client.ts'
import { relay } from './wire/index.ts'

let workerFile: URL
let module: string

beforeAll(async () => {
  workerFile = await buildWorkerFile()
  module = (await bundle('test/fourth-wire/wire/index.ts', 'relay')).href
})

const long = 'word '.repeat(120_000)
const clock = defineTool({ name: 'clock', parameters: { type: 'object' }, handler: () => 'Noon.' })

interface Seen {
  readonly reply: Reply
  readonly sent: readonly string[]
  /** The longest text that the event loop parsed or wrote. */
  readonly longest: number
}

async function ask(
  direction: 'client' | 'upstream',
  script: readonly ScriptedTurn[],
  more: Partial<GatewayOptions>,
): Promise<Seen> {
  const [client, wire] = direction === 'client' ? [relay, builtInWires.chat] : [builtInWires.messages, relay]
  const model = createScriptedModel({ wire, script })
  const sent: string[] = []
  const lengths: number[] = []
  const { parse } = JSON
  // The upstream of the test runs in the same thread.
  let isUpstreams = false
  const transport = createFetchTransport(async (input, init) => {
    const request = new Request(input, init)
    sent.push(await request.clone().text())
    isUpstreams = true
    return model.fetch(request).finally(() => {
      isUpstreams = false
    })
  })
  const baseUrl = `http://up.test${wire.service.http.prefix}`
  const gateway = createGateway({
    wires: [relay],
    upstreams: [{ name: 'up', wire: wire.name, baseUrl, transport, retries: 0 }],
    workerFile,
    ...more,
  })
  onTestFinished(() => gateway.close())
  const handle = createFetchHandler(gateway)
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (!isUpstreams) lengths.push(String(text).length)
    return parse(text, reviver)
  })
  try {
    const reply = await send(handle, client, [user(long)], { streamed: false })
    return { reply, sent, longest: Math.max(0, ...lengths) }
  } finally {
    vi.restoreAllMocks()
  }
}

test.each(['client', 'upstream'] as const)(
  'A worker converts a large request where the %s speaks the wire, with tools of the gateway too.',
  async direction => {
    const more = { wireModules: [module] }
    const plain = await ask(direction, [says('Fine.')], more)
    expect([plain.reply.status, plain.reply.text]).toEqual([200, 'Fine.'])
    expect(plain.sent[0]).toContain(long)
    expect(plain.longest).toBeLessThan(100_000)
    const script = [calls({ name: 'clock', arguments: {} }), says('Fine.')]
    const withTools = await ask(direction, script, { ...more, tools: [clock] })
    expect([withTools.reply.status, withTools.reply.text]).toEqual([200, 'Fine.'])
    expect(withTools.sent[1]).toContain(long)
    expect(withTools.sent[1]).toContain('Noon.')
    expect(withTools.longest).toBeLessThan(100_000)
  },
)

test('Without a module to import it from, the event loop takes less and says so.', async () => {
  const { reply, sent } = await ask('client', [says('Fine.')], { limits: { loopBytes: 100_000 } })
  expect(reply.status).toBe(413)
  expect(reply.raw).toContain('limits.loopBytes')
  expect(sent).toHaveLength(0)
  const within = await ask('client', [says('Fine.')], {})
  expect(within.reply.status).toBe(200)
})
