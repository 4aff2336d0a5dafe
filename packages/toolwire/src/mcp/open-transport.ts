/** The way to a server: a program's pipes, or HTTP. */
import process from 'node:process'
import type { Transport } from '@modelcontextprotocol/client'
import type { McpSdk } from './load-client.ts'
import { ProcessTransport } from './process-transport.ts'
import type { McpServer } from './settings.ts'

export interface OpenTransport {
  readonly transport: Transport
  /** How its program ended, where that is known. Empty, or begins with a space. */
  ending(): string
  /** What its program said last, the same way. */
  lastWords(): string
  close(): Promise<void>
}

export interface TransportOptions {
  readonly sdk: McpSdk
  readonly graceMs: number
  readonly onLog: (line: string) => void
}

const silent = { ending: () => '', lastWords: () => '' }

export async function openTransport(server: McpServer, options: TransportOptions): Promise<OpenTransport> {
  const { sdk } = options
  if ('url' in server) return openHttp(sdk, server.url, server.headers ?? {})
  const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  if (process.platform === 'win32') {
    // There are no process groups there, and starting what is installed as a .cmd file takes an art of its own.
    const { command, args = [], env, cwd } = server
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      ...(env !== undefined && { env: { ...env } }),
      ...(cwd !== undefined && { cwd }),
      stderr: 'ignore',
    })
    return { transport, ...silent, close: () => transport.close() }
  }
  const transport = new ProcessTransport(server, { ...options, baseEnv: getDefaultEnvironment() })
  return {
    transport,
    ending: () => transport.ending,
    lastWords: () => transport.lastWords,
    close: () => transport.close(),
  }
}

function openHttp(sdk: McpSdk, url: string, headers: Readonly<Record<string, string>>): OpenTransport {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
  })
  return {
    transport,
    ...silent,
    async close() {
      // Tells the server that it can forget the session; whether it hears that changes nothing for us.
      const told = transport.sessionId === undefined ? Promise.resolve() : transport.terminateSession()
      await Promise.race([told.catch(() => {}), new Promise(resolve => setTimeout(resolve, 1_000).unref())])
      await transport.close()
    },
  }
}
