/** A configuration once everything is looked up: what the commands work with. */
import type { Limits, LossPolicy, Upstream } from '../gateway/settings.ts'
import type { McpServer } from '../mcp/settings.ts'
import type { GatewayTool, LogConfig, ToolwireConfig } from './config.ts'

export interface StoreSettings {
  readonly kind: 'sqlite' | 'memory' | 'none'
  readonly path: string
  readonly ttlMs: number
  readonly maxBytes?: number
  readonly maxRecords?: number
  /** The user asked for it; then nothing else will do. */
  readonly isChosen: boolean
}

export interface Settings {
  readonly host: string
  readonly port: number
  /** None: the embedded demo model answers. */
  readonly upstreams: readonly Upstream[]
  readonly keys: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly store: StoreSettings
  readonly limits: Partial<Limits>
  readonly losses: LossPolicy
  readonly log: LogConfig
  readonly trace: { readonly entries?: number; readonly bytes?: number } | false
  readonly otel: boolean
  readonly heartbeatMs: number
  readonly shutdownMs: number
  readonly toolTimeoutMs?: number
  readonly mcpServers: Readonly<Record<string, McpServer>>
  readonly tools: readonly GatewayTool[]
  /** By type. */
  readonly hosted: Readonly<Record<string, GatewayTool>>
  /** The same as it would be written in a file, defaults included. */
  readonly config: ToolwireConfig
}
