/** A model server that makes an agent read a file, write what it read into another, and end. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BuiltInWire } from '@toolwire/core'
import { calls, createScriptedModel, type SeenRequest, says } from '@toolwire/core/testing'

/** The agent's own tools for the two steps; paths are absolute. */
export interface AgentTools {
  read(path: string): { readonly name: string; readonly arguments: object }
  write(path: string, text: string): { readonly name: string; readonly arguments: object }
}

export interface ScriptedServer {
  /** Includes the version. */
  readonly baseUrl: string
  /** The requests that came with tools, as they were decoded. */
  readonly requests: readonly SeenRequest[]
  close(): Promise<void>
}

export interface Files {
  readonly input: string
  readonly output: string
  /** The word that the input holds. */
  readonly secret: string
}

export const lastWords = 'Both files are done.'

export async function startScriptedServer(
  wire: BuiltInWire,
  tools: AgentTools,
  { input, output, secret }: Files,
): Promise<ScriptedServer> {
  const requests: SeenRequest[] = []
  const model = createScriptedModel({
    wire,
    pairing: 'refuse',
    script(request) {
      const names = [tools.read('').name, tools.write('', '').name]
      // Agents also ask for titles and summaries, without tools.
      if (!names.every(name => request.toolNames.includes(name))) return says('A title')
      requests.push(request)
      const { results } = request
      if (results.length === 0) return calls(tools.read(input))
      // What was read decides what is written: a result that got lost on the way shows in the file.
      const word = results[0]?.text.includes(secret) ? secret : 'nothing'
      return results.length === 1 ? calls(tools.write(output, `${word}\n`)) : says(lastWords)
    },
  })
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
      if (incoming.url?.endsWith('/models')) {
        outgoing
          .setHeader('content-type', 'application/json')
          .end('{"object":"list","data":[{"id":"scripted"}]}')
        return
      }
      const answer = await model.fetch(`http://model.invalid${incoming.url}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(chunks).toString('utf8'),
      })
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
      for await (const chunk of answer.body ?? []) outgoing.write(chunk)
      outgoing.end()
    })().catch(error => outgoing.destroy(error as Error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
