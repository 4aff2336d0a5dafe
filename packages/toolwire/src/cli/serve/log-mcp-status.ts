/** How MCP servers come and go, for the log: each problem once, and its end. */
import type { McpProblem, McpServers } from '../../mcp/connect-servers.ts'
import { plural } from '../../terminal/table.ts'

export function problemText({ server, message, isAwaited }: McpProblem): string {
  return `MCP server ${server}: ${message}${isAwaited ? ' It is looked for again.' : ''}`
}

/** Gives what is new since the last time; what was there when it was made is not. */
export function createMcpStatusLog(servers: Pick<McpServers, 'tools' | 'problems'>): () => string[] {
  let told = servers.problems
  return () => {
    const before = told
    told = servers.problems
    const known = new Set(before.map(problemText))
    const back = before.flatMap(({ server, isAwaited }) =>
      isAwaited && !told.some(problem => problem.server === server) ? [server] : [],
    )
    return [
      ...told.map(problemText).filter(text => !known.has(text)),
      ...back.map(server => `MCP server ${server}: It is there now and offers ${offer(servers, server)}.`),
    ]
  }
}

function offer({ tools }: Pick<McpServers, 'tools'>, name: string): string {
  return plural(tools.filter(({ server }) => server === name).length, 'tool')
}
