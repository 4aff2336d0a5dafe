/** One connection to one server, from its handshake to its end. It is never mended: a new one takes its place. */
import type {
  Client,
  jsonSchemaValidator,
  ListToolsResult,
  VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import type { McpSdk } from './load-client.ts'
import { McpError, messageOf } from './mcp-error.ts'
import type { OpenTransport } from './open-transport.ts'
import { openTransport } from './open-transport.ts'
import type { McpServer } from './settings.ts'

export type ServerTools = ListToolsResult['tools']

export interface McpSession {
  readonly client: Client
  readonly tools: ServerTools
  /** How its program ended and what it said last, where that is known. Empty, or begins with a space. */
  ending(): string
  lastWords(): string
  /** Resolves when the connection has ended, whoever ended it. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export interface McpSessionOptions {
  readonly sdk: McpSdk
  readonly version: string
  readonly connectTimeoutMs: number
  readonly graceMs: number
  readonly signal: AbortSignal
  onLog(line: string): void
  /** The server says that its tools are others now; an error when they could not be listed. */
  onTools(listed: ServerTools | Error): void
}

/** Rejects with an `McpError` that says what to do. Nothing is left running then. */
export async function openMcpSession(server: McpServer, options: McpSessionOptions): Promise<McpSession> {
  if ('url' in server) return attempt(server, 'auto', options)
  try {
    // A program may end when it is asked in a protocol it does not know, so the one that nearly all know comes first.
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
      jsonSchemaValidator: trusting,
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
      lastWords: () => open.lastWords(),
      ended: endOf(client),
      close: () => closeAll(client, open),
    }
  } catch (error) {
    await closeAll(client, open)
    const message = `It ${reasonOf(error, server)}${open.ending()}${open.lastWords()}`
    throw new McpError('mcp_unreachable', message, { cause: error })
  }
}

/** Where there are no lasting connections, the stream of notifications is what shows that the server is there. */
function endOf(client: Client): Promise<void> {
  return new Promise(resolve => {
    client.onclose = resolve
    void client.autoOpenedSubscription?.closed.then(() => resolve())
  })
}

async function closeAll(client: Client, open: OpenTransport): Promise<void> {
  // The way first: closing the client alone would not wait for a program to end.
  await open.close()
  await client.close()
}

/** A server without tools is not asked, since the SDK would print that it should not have been. */
async function listTools(
  client: Client,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<ServerTools> {
  if (client.getServerCapabilities()?.tools === undefined) return []
  return (await client.listTools(undefined, options)).tools
}

/** Results are held against their schemas when a call is run, by a validator that builds no code. */
const trusting: jsonSchemaValidator = {
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
