/** A scripted model behind a real socket, as the upstream of a gateway under test. */
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Model } from '../clients/model.ts'

/** A request as it reached the upstream, and the text of its answer. */
export interface RecordedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly answer: string
}

export interface UpstreamServer {
  /** Includes the version. */
  readonly baseUrl: string
  readonly requests: readonly RecordedRequest[]
  close(): Promise<void>
}

export async function startUpstream({ reply }: Pick<Model, 'reply'>): Promise<UpstreamServer> {
  const requests: RecordedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    void readText(incoming).then(text => {
      const replied = reply(JSON.parse(text))
      const answer = answerText(replied)
      requests.push({ path: incoming.url ?? '', headers: incoming.headers, text, answer })
      if ('events' in replied) stream(outgoing, answer)
      else send(outgoing, 'refusal' in replied ? 400 : 200, answer)
    })
  })
  const origin = await listen(server)
  return { baseUrl: `${origin}/v1`, requests, close: () => close(server) }
}

function answerText(reply: ReturnType<Model['reply']>): string {
  if ('events' in reply) return reply.events
  return JSON.stringify('refusal' in reply ? { error: { message: reply.refusal } } : reply.whole)
}

function send(outgoing: ServerResponse, status: number, text: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text)
}

/** Writes chunks that end anywhere, as a network does. */
function stream(outgoing: ServerResponse, text: string): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  const bytes = Buffer.from(text)
  const size = 211
  for (let at = 0; at < bytes.length; at += size) outgoing.write(bytes.subarray(at, at + size))
  outgoing.end()
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Listens on a free port and returns the origin. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Closes idle keep-alive connections too. */
export async function close(server: Server): Promise<void> {
  await new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
