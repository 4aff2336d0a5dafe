/** A server's tool as a tool of the registry: its schemas and annotations unchanged, with a handler that calls the server. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/client'
import type { JsonSchema, ToolContext, ToolSpec } from '@toolwire/core'
import { defineTool } from '@toolwire/core'

/** A tool of an MCP server. Its name may differ from its name on the server. */
export type McpTool = ToolSpec & { readonly server: string }

export interface ToolCaller {
  call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult>
}

export interface ServerToolOptions {
  readonly name: string
  readonly server: string
  readonly timeoutMs: number | undefined
  readonly caller: ToolCaller
}

/** Throws a `ToolError` when the server's definition is invalid. */
export function defineServerTool(
  tool: Tool,
  { name, server, timeoutMs, caller }: ServerToolOptions,
): McpTool {
  const { title = tool.annotations?.title, description, inputSchema, outputSchema, annotations } = tool
  const spec = defineTool({
    name,
    title,
    description,
    // The SDK's type of JSON Schema and this one are unrelated.
    inputSchema: inputSchema as JsonSchema,
    outputSchema: outputSchema as JsonSchema | undefined,
    annotations,
    timeoutMs,
    handler: async (args, context) => resultOf(await caller.call(tool.name, { ...args }, context)),
  } as HandledDefinition)
  return Object.freeze({ ...spec, server })
}

interface HandledDefinition {
  readonly name: string
  handler(args: Record<string, unknown>, context: ToolContext): Promise<unknown>
}

/** The result without members that only concern the protocol. */
function resultOf({ content, structuredContent, isError = false }: CallToolResult): object {
  return { content, isError, ...(structuredContent !== undefined && { structuredContent }) }
}
