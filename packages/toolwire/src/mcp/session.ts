/**
 * One session with one server, from the handshake to the end, and its transport: the pipes of a program, or HTTP. A lost
 * session is not repaired; the connection opens a new one.
 */
import process from 'node:process'
import type {
  Client,
  jsonSchemaValidator,
  ListToolsResult,
  Transport,
  VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import type { McpSdk } from './load-client.ts'
import { McpError, messageOf } from './mcp-error.ts'
import { ProcessTransport } from './process-transport.ts'
import type { McpServer } from './settings.ts'

export type ServerTools = ListToolsResult['tools']

export interface McpSession {
  readonly client: Client
  readonly tools: ServerTools
  /** How its program ended and what it wrote last, if known. Empty, or begins with a space. */
  ending(): string
  lastOutput(): string
  /** Resolves when the session has ended on either side. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

interface OpenTransport extends Pick<McpSession, 'ending' | 'lastOutput' | 'close'> {
  readonly transport: Transport
}

export interface McpSessionOptions {
  readonly sdk: McpSdk
  readonly version: string
  readonly connectTimeoutMs: number
  readonly graceMs: number
  readonly signal: AbortSignal
  onLog(line: string): void
  /** The server's tools have changed; an error when they could not be listed. */
  onTools(listed: ServerTools | Error): void
}

/** Rejects with an `McpError` that names the remedy. Nothing is left running then. */
export async function openMcpSession(server: McpServer, options: McpSessionOptions): Promise<McpSession> {
  if ('url' in server) return attempt(server, 'auto', options)
  try {
    // Some programs exit when they receive an unknown protocol version, so the widely supported one is tried first.
    return await attempt(server, 'legacy', options)
  } catch (error) {
    const cause = error instanceof McpError ? error.cause : error
    if (!(cause instanceof options.sdk.UnsupportedProtocolVersionError)) throw error
    return attempt(server, 'auto', options)
  }
}

async function attempt(
  server: McpServer,
  mode: VersionNegotiationMode,
  options: McpSessionOptions,
): Promise<McpSession> {
  const { sdk, version, connectTimeoutMs: timeout, signal } = options
  const open = await openTransport(server, options)
  const client = new sdk.Client(
    { name: 'toolwire', version },
    {
      versionNegotiation: { mode },
      jsonSchemaValidator: acceptAll,
      listChanged: { tools: { onChanged: (error, tools) => options.onTools(error ?? tools ?? []) } },
    },
  )
  try {
    await client.connect(open.transport, { timeout, signal })
    const tools = await listTools(client, { timeout, signal })
    return {
      client,
      tools,
      ending: () => open.ending(),
      lastOutput: () => open.lastOutput(),
      ended: endOf(client),
      close: () => closeAll(client, open),
    }
  } catch (error) {
    await closeAll(client, open)
    const message = `It ${reasonOf(error, server)}${open.ending()}${open.lastOutput()}`
    throw new McpError('mcp_unreachable', message, { cause: error })
  }
}

const noOutput = { ending: () => '', lastOutput: () => '' }

async function openTransport(server: McpServer, options: McpSessionOptions): Promise<OpenTransport> {
  const { sdk } = options
  if ('url' in server) return openHttp(sdk, server.url, server.headers ?? {})
  const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  if (process.platform === 'win32') {
    // Windows has no process groups, and the SDK knows how to start .cmd files.
    const { command, args = [], env, cwd } = server
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      ...(env !== undefined && { env: { ...env } }),
      ...(cwd !== undefined && { cwd }),
      stderr: 'ignore',
    })
    return { transport, ...noOutput, close: () => transport.close() }
  }
  const transport = new ProcessTransport(server, { ...options, baseEnv: getDefaultEnvironment() })
  return {
    transport,
    ending: () => transport.ending,
    lastOutput: () => transport.lastOutput,
    close: () => transport.close(),
  }
}

function openHttp(sdk: McpSdk, url: string, headers: Readonly<Record<string, string>>): OpenTransport {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
  })
  return {
    transport,
    ...noOutput,
    async close() {
      // Tells the server that the session has ended. Whether that succeeds does not matter here.
      const ended = transport.sessionId === undefined ? Promise.resolve() : transport.terminateSession()
      await Promise.race([ended.catch(() => {}), new Promise(resolve => setTimeout(resolve, 1_000).unref())])
      await transport.close()
    },
  }
}

/** Over HTTP without sessions, only the end of the stream of notifications shows that the server is gone. */
function endOf(client: Client): Promise<void> {
  return new Promise(resolve => {
    client.onclose = resolve
    void client.autoOpenedSubscription?.closed.then(() => resolve())
  })
}

async function closeAll(client: Client, open: OpenTransport): Promise<void> {
  // The transport first: closing the client alone would not wait for a program to end.
  await open.close()
  await client.close()
}

/** Sends no request to a server without tools, because the SDK would print a warning. */
async function listTools(
  client: Client,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<ServerTools> {
  if (client.getServerCapabilities()?.tools === undefined) return []
  return (await client.listTools(undefined, options)).tools
}

/** Results are validated where a call is run, by a validator that generates no code. */
const acceptAll: jsonSchemaValidator = {
  getValidator: () => value => ({ valid: true, data: value as never, errorMessage: undefined }),
}

function reasonOf(error: unknown, server: McpServer): string {
  if ('url' in server) {
    const { origin, pathname } = new URL(server.url)
    return `cannot be reached at ${origin}${pathname}: ${messageOf(error)} Check its "url" and "headers", and whether it runs.`
  }
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  const program = JSON.stringify(server.command)
  if (code === 'ENOENT') {
    const folder = server.cwd === undefined ? '' : `, or no folder ${JSON.stringify(server.cwd)}`
    return `cannot be started: there is no program ${program}${folder}. Check its "command", or install it.`
  }
  if (code === 'EACCES')
    return `cannot be started: ${program} may not be run. Check its "command" and its permissions.`
  return `was started with ${program} and did not come up: ${messageOf(error)} Check its "args" and "env".`
}
