/** A scripted model behind a real socket, for programs outside this process, such as a browser. */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { ScriptedModel } from '@toolwire/core/testing'
import { close, listen } from '../gateway/upstream.ts'

export interface ScriptedServer {
  /** Includes the version. */
  readonly baseUrl: string
  close(): Promise<void>
}

export async function serveScripted({ fetch: answer }: ScriptedModel): Promise<ScriptedServer> {
  const server = createServer(async (incoming, outgoing) => {
    const body = Readable.toWeb(incoming) as unknown as BodyInit
    const request = { method: 'POST', body, duplex: 'half' } as const
    const { status, headers, body: answered } = await answer(`http://scripted${incoming.url}`, request)
    outgoing.writeHead(status, Object.fromEntries(headers))
    if (answered === null) outgoing.end()
    else Readable.fromWeb(answered as ReadableStream<Uint8Array>).pipe(outgoing)
  })
  return { baseUrl: `${await listen(server)}/v1`, close: () => close(server) }
}
