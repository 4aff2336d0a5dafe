/** The tools of all configured MCP servers. A server that fails is a problem to tell of; the others work. */
import { systemClock } from '../gateway/clock.ts'
import { type Connection, createConnection } from './connection.ts'
import { loadClient } from './load-client.ts'
import { messageOf } from './mcp-error.ts'
import { reconnect } from './reconnect.ts'
import { defineServerTool, type McpTool } from './server-tool.ts'
import type { McpOptions, McpServer } from './settings.ts'
import { mistakeIn } from './settings.ts'
import { uniqueNames } from './tool-names.ts'

export interface McpProblem {
  readonly server: string
  /** Speaks of the server as "it". */
  readonly message: string
  /** It has not been there yet, and is looked for again. */
  readonly isAwaited?: boolean
}

/** What the servers offer now; both lists are made anew when a server's tools change. */
export interface McpServers {
  readonly tools: readonly McpTool[]
  readonly problems: readonly McpProblem[]
  /** Ends the programs that were started and waits until they have ended. */
  close(): Promise<void>
}

/**
 * Resolves when every server has answered or failed; those that failed are looked for again until `close`. Rejects only when
 * the package that speaks MCP is missing.
 */
export async function connectMcpServers(
  servers: Readonly<Record<string, McpServer>>,
  options: McpOptions = {},
): Promise<McpServers> {
  const entries = Object.entries(servers)
  const mistakes = entries.flatMap(([server, given]): McpProblem[] => {
    const mistake = mistakeIn(given)
    return mistake === undefined ? [] : [{ server, message: `Its configuration is wrong: ${mistake}` }]
  })
  const wrong = new Set(mistakes.map(({ server }) => server))
  const right = entries.filter(([server]) => !wrong.has(server))
  if (right.length === 0) return { tools: [], problems: mistakes, close: async () => {} }

  const { version = 'unknown', connectTimeoutMs = 30_000, graceMs = 2_000, onLog, onChange } = options
  const taken = [...(options.taken ?? [])]
  const sdk = await loadClient()
  let offer: Offer | undefined
  let told = false
  const connections = right.map(([name, server]) =>
    createConnection(name, server, {
      sdk,
      version,
      connectTimeoutMs,
      graceMs,
      onLog: line => onLog?.(name, line),
      onChange() {
        offer = undefined
        if (told) onChange?.()
      },
    }),
  )
  await Promise.all(connections.map(connection => connection.connect()))
  told = true
  const after = options.after ?? systemClock.after
  const seeking = connections
    .filter(({ isKnown }) => !isKnown)
    .map(({ connect }) => reconnect({ connect, after }))
  const now = (): Offer => {
    offer ??= offerOf(connections, taken)
    return offer
  }
  return {
    get tools() {
      return now().tools
    },
    get problems() {
      return [...mistakes, ...now().problems]
    },
    async close() {
      for (const stop of seeking) stop()
      await Promise.all(connections.map(connection => connection.close()))
    },
  }
}

interface Offer {
  readonly tools: readonly McpTool[]
  readonly problems: readonly McpProblem[]
}

function offerOf(connections: readonly Connection[], taken: readonly string[]): Offer {
  const problems = connections.flatMap(({ name, problem, isKnown }): McpProblem[] =>
    problem === undefined ? [] : [{ server: name, message: problem, ...(!isKnown && { isAwaited: true }) }],
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
