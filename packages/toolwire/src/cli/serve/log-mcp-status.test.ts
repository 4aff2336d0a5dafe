import { expect, test } from 'vitest'
import type { McpProblem } from '../../mcp/connect-servers.ts'
import { createMcpStatusLog } from './log-mcp-status.ts'

test('An MCP problem is logged once, a new one again, and the arrival of an awaited server once.', () => {
  const servers = { tools: [], problems: [] as McpProblem[] }
  servers.problems = [{ server: 'a', message: 'It is away.', isAwaited: true }]
  const news = createMcpStatusLog(servers)
  expect(news()).toEqual([])
  servers.problems = [{ server: 'a', message: 'It refuses.', isAwaited: true }]
  expect(news()).toEqual(['MCP server a: It refuses. It is looked for again.'])
  expect(news()).toEqual([])
  servers.problems = []
  expect(news()).toEqual(['MCP server a: It is there now and offers 0 tools.'])
  servers.problems = [{ server: 'a', message: 'The connection was lost.' }]
  expect(news()).toEqual(['MCP server a: The connection was lost.'])
  servers.problems = []
  expect(news()).toEqual([])
})
