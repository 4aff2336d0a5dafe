/** A vendor over HTTP that records what it is asked, and a gateway before it that passes other paths on to it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayOptions, Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { adapters } from '../faults/adapters.ts'
import { closeAfterEach } from '../house/close-after-each.ts'

export const closing = closeAfterEach()

interface Asked {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

export const answerJson: Answer = (_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end('{"object":"list","data":[{"embedding":[0.5],"index":0,"object":"embedding"}],"model":"e"}')
}

async function openVendor(answer: Answer): Promise<{ readonly address: string; readonly asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('latin1')
      asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
      answer(request, response, body)
    })
    request.on('error', () => {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

export const key = 'sk-of-the-gateway-0123456789'

interface OpenOptions extends Partial<GatewayOptions> {
  readonly answer?: Answer
  readonly upstream?: Partial<Upstream>
  readonly adapter?: (typeof adapters)[number][1]
}

export async function openBeforeVendor({
  answer = answerJson,
  upstream = {},
  adapter,
  ...options
}: OpenOptions = {}) {
  const vendor = await openVendor(answer)
  const gateway = createGateway({
    ...options,
    upstreams: [
      {
        name: 'vendor',
        wire: 'chat',
        baseUrl: vendor.address,
        apiKey: key,
        retries: 0,
        otherPaths: ['*'],
        ...upstream,
      },
    ],
  })
  const openAdapter = adapter ?? adapters[0]?.[1]
  if (openAdapter === undefined) throw new Error('There is an adapter.')
  const opened = await openAdapter(gateway)
  closing.push(async () => {
    await gateway.close()
    await opened.close()
  })
  const nothingLeft = () => expect.poll(() => [gateway.active, gateway.memoryUsed]).toEqual([0, 0])
  return { ...vendor, gateway, request: opened.request, nothingLeft }
}
