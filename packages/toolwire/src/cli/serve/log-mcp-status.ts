/** Log lines for MCP servers: each problem once, and when it is over. */
import type { McpProblem, McpServers } from '../../mcp/connect-servers.ts'
import { plural } from '../../terminal/table.ts'

export function problemText({ server, message, isAwaited }: McpProblem): string {
  return `MCP server ${server}: ${message}${isAwaited ? ' It is looked for again.' : ''}`
}

/** Returns what is new since the last call, or since it was created. */
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
