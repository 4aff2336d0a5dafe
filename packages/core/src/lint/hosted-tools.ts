/** The fields that hosted tools cannot do without. */
import { own } from '../json/object.ts'
import type { HostedTool } from '../model/tool.ts'
import type { Wire } from '../model/wire.ts'
import { type LintContext, quote } from './context.ts'

type Requirement = readonly string[]

/** By the wire that defines them. Dates at the end of a type are not part of its family's name. */
const required: { readonly [W in Wire]: ReadonlyMap<string, Requirement> } = {
  chat: new Map(),
  responses: new Map([
    ['mcp', ['server_label']],
    ['file_search', ['vector_store_ids']],
    ['code_interpreter', ['container']],
    ['computer_use_preview', ['display_width', 'display_height', 'environment']],
  ]),
  messages: new Map([
    ['bash', ['name']],
    ['text_editor', ['name']],
    ['memory', ['name']],
    ['computer', ['name', 'display_width_px', 'display_height_px']],
    ['web_search', ['name']],
    ['web_fetch', ['name']],
    ['code_execution', ['name']],
    ['tool_search_tool_bm25', ['name']],
    ['tool_search_tool_regex', ['name']],
  ]),
}

/** An MCP tool reaches its server in exactly one of these ways. */
const mcpServers = ['server_url', 'connector_id', 'tunnel_id']

export function lintHosted(tool: HostedTool, context: LintContext): void {
  const { add } = context
  const family = tool.type.replace(/_\d{8}$/, '')
  for (const field of required[tool.wire].get(family) ?? []) {
    if (!isMissing(own(tool.definition, field))) continue
    add(
      'missing_field',
      [...tool.root, field],
      `${quote(tool.type)} needs ${quote(field)}.`,
      `Add ${quote(field)} to the tool.`,
    )
  }
  if (family === 'mcp') lintMcpServer(tool, context)
}

function lintMcpServer({ definition, root }: HostedTool, { add }: LintContext): void {
  const given = mcpServers.filter(field => !isMissing(own(definition, field)))
  if (given.length === 0) {
    const remedy = 'Add "server_url", or "tunnel_id", or "connector_id".'
    add('missing_field', [...root, 'server_url'], 'Nothing says how to reach the MCP server.', remedy)
  }
  const [, second] = given
  if (second === undefined) return
  const names = given.map(quote).join(' and ')
  add(
    'invalid_field',
    [...root, second],
    `Only one of ${names} can be given.`,
    'Keep one and remove the rest.',
  )
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
