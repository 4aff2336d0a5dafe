/** The tools of all configured MCP servers. A server that fails is reported as a problem; the others work. */
import { Connection } from './connection.ts'
import { loadClient } from './load-client.ts'
import { messageOf } from './mcp-error.ts'
import { defineServerTool, type McpTool } from './server-tool.ts'
import type { McpOptions, McpServer, StartTimer } from './settings.ts'
import { mistakeIn } from './settings.ts'
import { uniqueNames } from './tool-names.ts'

export interface McpProblem {
  readonly server: string
  /** Calls the server "it". */
  readonly message: string
  /** There has been no connection yet; it is tried again. */
  readonly isAwaited?: boolean
}

/** What the servers offer now. Both lists are replaced when a server changes. */
export interface McpServers {
  readonly tools: readonly McpTool[]
  readonly problems: readonly McpProblem[]
  /** Ends the programs that were started, and waits for them. */
  close(): Promise<void>
}

/**
 * Resolves when every server has answered or failed; connecting to those that failed is tried again until `close`.
 * Rejects only when the package of the MCP SDK is missing.
 */
export async function connectMcpServers(
  servers: Readonly<Record<string, McpServer>>,
  options: McpOptions = {},
): Promise<McpServers> {
  const entries = Object.entries(servers)
  const mistakes = entries.flatMap(([server, settings]): McpProblem[] => {
    const mistake = mistakeIn(settings)
    return mistake === undefined ? [] : [{ server, message: `Its configuration is wrong: ${mistake}` }]
  })
  const invalid = new Set(mistakes.map(({ server }) => server))
  const valid = entries.filter(([server]) => !invalid.has(server))
  if (valid.length === 0) return { tools: [], problems: mistakes, close: async () => {} }

  const { version = 'unknown', connectTimeoutMs = 30_000, graceMs = 2_000, onLog, onChange } = options
  const { after = startTimer } = options
  const taken = [...(options.taken ?? [])]
  const sdk = await loadClient()
  let offer: Offer | undefined
  let isReady = false
  const connections = valid.map(([name, server]) => {
    const onServerChange = (): void => {
      offer = undefined
      if (isReady) onChange?.()
    }
    const log = (line: string): void => onLog?.(name, line)
    const common = { sdk, version, connectTimeoutMs, graceMs }
    return new Connection(name, server, { ...common, onLog: log, onChange: onServerChange })
  })
  await Promise.all(connections.map(connection => connection.connect()))
  isReady = true
  const stops = connections
    .filter(({ wasConnected }) => !wasConnected)
    .map(connection => keepTrying(() => connection.connect(), after))
  const currentOffer = (): Offer => {
    offer ??= offerOf(connections, taken)
    return offer
  }
  return {
    get tools() {
      return currentOffer().tools
    },
    get problems() {
      return [...mistakes, ...currentOffer().problems]
    },
    async close() {
      for (const stop of stops) stop()
      await Promise.all(connections.map(connection => connection.close()))
    },
  }
}

const startTimer: StartTimer = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds)
  return () => clearTimeout(timer)
}

const firstRetryMs = 1_000
const maxRetryMs = 60_000

/** Tries to connect with growing delays until it succeeds. Returns a function that stops it. */
function keepTrying(connect: () => Promise<boolean>, after: StartTimer): () => void {
  let isStopped = false
  let cancel = (): void => {}
  const tryAfter = (milliseconds: number): void => {
    cancel = after(milliseconds, () => {
      void connect().then(isConnected => {
        if (!isConnected && !isStopped) tryAfter(Math.min(2 * milliseconds, maxRetryMs))
      })
    })
  }
  tryAfter(firstRetryMs)
  return () => {
    isStopped = true
    cancel()
  }
}

interface Offer {
  readonly tools: readonly McpTool[]
  readonly problems: readonly McpProblem[]
}

function offerOf(connections: readonly Connection[], taken: readonly string[]): Offer {
  const problems = connections.flatMap(({ name, problem, wasConnected }): McpProblem[] =>
    problem === undefined
      ? []
      : [{ server: name, message: problem, ...(!wasConnected && { isAwaited: true }) }],
  )
  const leaveOut = (server: string, tool: string, why: string): void => {
    problems.push({ server, message: `Its tool ${JSON.stringify(tool)} was left out: ${why}` })
  }
  const listed = connections.flatMap(connection => {
    const seen = new Set<string>()
    return connection.tools.flatMap(tool => {
      if (seen.has(tool.name)) {
        leaveOut(connection.name, tool.name, 'the server has another tool of this name.')
        return []
      }
      seen.add(tool.name)
      return [{ server: connection.name, name: tool.name, tool, connection }]
    })
  })
  const names = uniqueNames(listed, taken)
  const tools = listed.flatMap(({ server, tool, connection }, i): McpTool[] => {
    try {
      const { timeoutMs } = connection.server
      return [defineServerTool(tool, { name: names[i] ?? tool.name, server, timeoutMs, caller: connection })]
    } catch (error) {
      leaveOut(server, tool.name, messageOf(error))
      return []
    }
  })
  return { tools, problems }
}
