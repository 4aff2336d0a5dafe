/** A gateway that refuses losses can be used with the agents that people run: what they send unasked is none. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { claudeCodeRequest, codexRequest, olderClaudeCodeRequest } from '../support/clients/agents.ts'
import { wires } from '../support/wires.ts'

const agents = [
  ['Codex', 'responses', codexRequest],
  ['Claude Code', 'messages', claudeCodeRequest],
  ['Claude Code with a budget', 'messages', olderClaudeCodeRequest],
] as const

describe.each(agents)('%s', (agent, from, body) => {
  test.each(wires)(`A request of ${agent} loses nothing on %s that changes the answer.`, to => {
    const { diagnostics } = createExchange({ from, to, model: 'qwen3' }).request(body)
    const losses = diagnostics.filter(({ severity }) => severity !== 'info')
    expect(losses.map(({ code, path }) => `${code} ${path.join('.')}`)).toEqual([])
  })
})

test('What changes the answer is still a loss.', () => {
  const losses = (more: object): string[] =>
    createExchange({ from: 'messages', to: 'chat' })
      .request({ ...claudeCodeRequest, ...more })
      .diagnostics.filter(({ severity }) => severity !== 'info')
      .map(({ code, path }) => `${code} ${path.join('.')}`)
  expect(losses({ top_k: 5 })).toEqual(['field_dropped top_k'])
  expect(losses({ context_management: { edits: [{ type: 'compact_20260112' }] } })).toEqual([
    'field_dropped context_management',
  ])
  expect(losses({ mcp_servers: [{ type: 'url', url: 'https://x.test', name: 'x' }] })).toEqual([
    'field_dropped mcp_servers',
  ])
})

test.each([
  [1024, 'low'],
  [10_000, 'medium'],
  [31_999, 'high'],
])(
  'A budget of %i tokens for thinking is the effort %s, and stays itself on its own wire.',
  (tokens, effort) => {
    const body = { ...olderClaudeCodeRequest, thinking: { type: 'enabled', budget_tokens: tokens } }
    expect(createExchange({ from: 'messages', to: 'chat' }).request(body).value.reasoning_effort).toBe(effort)
    expect(createExchange({ from: 'messages', to: 'messages' }).request(body).value).toEqual(body)
  },
)
