/** `toolwire`: what a configuration file imports. */
export { defineTool } from '@toolwire/core'
export type {
  GatewayTool,
  LogConfig,
  PlainTool,
  ProfileConfig,
  StoreConfig,
  ToolwireConfig,
  TraceConfig,
  UpstreamConfig,
} from './config/config.ts'
export { defineConfig } from './config/config.ts'
export type { McpAddress, McpProgram, McpServer } from './mcp/settings.ts'
