/** A server's tool as one of ours: its schemas and hints as they are, and a handler that calls the server. */

import type { CallToolResult, Tool } from '@modelcontextprotocol/client'
import type { JsonSchema, ToolContext, ToolSpec } from '@toolwire/core'
import { defineTool } from '@toolwire/core'

/** A tool of an MCP server. Its name may differ from the one it has there. */
export type McpTool = ToolSpec & { readonly server: string }

export interface ToolCaller {
  call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult>
}

export interface ToolPlace {
  readonly name: string
  readonly server: string
  readonly timeoutMs: number | undefined
  readonly caller: ToolCaller
}

/** Throws a `ToolError` where the server's definition makes no sense. */
export function defineServerTool(tool: Tool, { name, server, timeoutMs, caller }: ToolPlace): McpTool {
  const { title = tool.annotations?.title, description, inputSchema, outputSchema, annotations } = tool
  const spec = defineTool({
    name,
    title,
    description,
    // Whatever JSON Schema the server gives; the SDK's type for it and ours have no relation.
    inputSchema: inputSchema as JsonSchema,
    outputSchema: outputSchema as JsonSchema | undefined,
    annotations,
    timeoutMs,
    handler: async (args, context) => asGiven(await caller.call(tool.name, { ...args }, context)),
  } as HandledDefinition)
  return Object.freeze({ ...spec, server })
}

interface HandledDefinition {
  readonly name: string
  handler(args: Record<string, unknown>, context: ToolContext): Promise<unknown>
}

/** The members that make a result of MCP, without what is only for the two protocol layers. */
function asGiven({ content, structuredContent, isError = false }: CallToolResult): object {
  return { content, isError, ...(structuredContent !== undefined && { structuredContent }) }
}
