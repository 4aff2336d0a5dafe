/** Serves a fetch handler on the loopback address. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface HttpServer {
  readonly url: string
  /** Replaces the handler. */
  answerWith(answer: Answer): void
  /** Headers of all requests so far. */
  readonly seen: Headers[]
  close(): Promise<void>
}

type Answer = (request: Request) => Promise<Response> | Response

export async function listenWith(first: Answer, port = 0): Promise<HttpServer> {
  let answer = first
  const seen: Headers[] = []
  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing, request => {
      seen.push(request.headers)
      return answer(request)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    answerWith(next) {
      answer = next
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const { method = 'GET', headers, url = '/' } = incoming
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    signal: gone.signal,
    ...(method === 'POST' && { body: Buffer.concat(chunks) }),
  })
  const response = await answer(request)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  // Some tests disconnect in the middle.
  if (response.body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => {})
}
