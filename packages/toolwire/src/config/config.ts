/** The configuration of a gateway as people write it, which `config-table.ts` repeats as data, and as commands use it. */
import type { ExecutionFacts, Profile, ToolContext, ToolSpec, WireDefinition } from '@toolwire/core'
import type { Price } from '@toolwire/core/presets'
import type {
  ConnectionLimits,
  GatewayServerTool,
  Limits,
  LossPolicy,
  SocketMode,
  Tenant,
  Upstream,
} from '../gateway/settings.ts'
import type { WithoutStore } from '../gateway/tenants/key-counters.ts'
import type { McpServer } from '../mcp/settings.ts'

/** What tokens cost; where it was read may be left out. */
export type PriceConfig = Omit<Price, 'source' | 'date'> & Partial<Pick<Price, 'source' | 'date'>>

/** Facts about an upstream that differ from its wire's usual ones. The rules of strict mode are not plain data. */
export type ProfileConfig = Partial<Omit<Profile, 'strictRules' | 'models'>> & {
  /** By the names of models, or by beginnings of them. */
  readonly models?: { readonly [name: string]: ModelConfig }
}

export type ModelConfig = Partial<Omit<Profile, 'strictRules' | 'models'>>

/** An upstream in a configuration file. */
export interface UpstreamConfig extends Omit<Upstream, 'transport' | 'profile' | 'wire' | 'disabled'> {
  /** Left out where `speaks` or the host says it. */
  readonly wire?: string
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string
  readonly profile?: ProfileConfig
}

/** A client's key with a name, what it may use, and how much. */
export interface TenantConfig extends Tenant {
  /** The environment variable that holds the key. */
  readonly keyEnv?: string
}

export type StoreKind = 'sqlite' | 'memory' | 'none' | 'redis' | 'postgres'

/** Where responses and conversations are kept, for how long, and how much of them. */
export interface StoreConfig {
  readonly kind?: StoreKind
  /** The file, for `sqlite`. */
  readonly path?: string
  /** The server, for `redis` and `postgres`. */
  readonly url?: string
  /** How many days a stored response lives. */
  readonly ttlDays?: number
  readonly maxBytes?: number
  readonly maxRecords?: number
  /** Of the `sqlite` store: `full` loses nothing even in a power cut, with a disk flush for each write. */
  readonly durability?: 'normal' | 'full'
}

export interface LimitsConfig extends Partial<Limits>, Partial<ConnectionLimits> {}

/** The log: its form, and from which level on. */
export interface LogConfig {
  /** By default `pretty` on a terminal, and `json` elsewhere. */
  readonly format?: 'pretty' | 'json'
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
}

export interface LintConfig {
  readonly targets?: readonly string[]
  readonly strict?: boolean
  readonly maxWarnings?: number
  readonly ignore?: readonly { readonly codes: readonly string[]; readonly files?: readonly string[] }[]
}

/** How many exchanges are kept for the inspector and `toolwire trace`, where, and whether with their bodies. */
export interface TraceConfig {
  readonly entries?: number
  readonly bytes?: number
  readonly viewBytes?: number
  /** In the sqlite store, beyond the life of the process. */
  readonly keptEntries?: number
  readonly keptBytes?: number
  /** Keep what was sent and answered, and not only facts. */
  readonly bodies?: boolean
}

/** A tool with a handler, as `defineTool` makes it. */
export type GatewayTool = GatewayServerTool

/** The plain definition of a tool, for configurations that do not call `defineTool` themselves. */
export interface PlainTool
  extends ExecutionFacts,
    Pick<ToolSpec, 'name' | 'title' | 'description' | 'strict' | 'annotations'> {
  /** JSON Schema, or a Standard Schema that can be written as one. */
  readonly parameters?: object
  readonly outputSchema?: object
  handler(args: Record<string, unknown>, context: ToolContext): unknown
}

/** A configuration file; `docs/configuration.md` explains each setting. */
export interface ToolwireConfig {
  /** Where an editor finds the JSON Schema of this file. */
  readonly $schema?: string
  readonly host?: string
  readonly port?: number
  /** Where `/live` and `/ready` are answered, however busy the gateway is. */
  readonly healthPort?: number
  /** How many processes serve, or as many as there are cores. */
  readonly workers?: number | 'auto'
  /** None: those that the environment names, or else the embedded demo model. */
  readonly upstreams?: readonly UpstreamConfig[]
  /** Every request is for this model, whatever it names. */
  readonly model?: string
  /** Keys a client must present one of. */
  readonly keys?: readonly string[]
  /** The environment variable that holds such keys, separated by commas. */
  readonly keysEnv?: string
  /** Keys with rules of their own. */
  readonly tenants?: readonly TenantConfig[]
  /** What becomes of the limits of keys while the store is away. */
  readonly limitsWithoutStore?: WithoutStore
  /** Keys of those who run the gateway, apart from clients' keys. */
  readonly operatorKeys?: readonly string[]
  readonly operatorKeysEnv?: string
  /** What seals the reasoning of upstreams for its way through clients; the first one seals, all of them open. */
  readonly sealKeys?: readonly string[]
  readonly sealKeysEnv?: string
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
  /** Listen beyond this machine although no key is required. */
  readonly insecure?: boolean
  readonly store?: StoreConfig
  readonly limits?: LimitsConfig
  readonly losses?: LossPolicy
  readonly webSockets?: SocketMode
  readonly log?: LogConfig
  readonly trace?: TraceConfig | false
  readonly prices?: readonly PriceConfig[]
  /** For "toolwire lint". */
  readonly lint?: LintConfig
  readonly otel?: boolean
  /** The page at `/` that shows the traces. */
  readonly inspector?: boolean
  readonly heartbeatMs?: number
  readonly shutdownMs?: number
  readonly toolTimeoutMs?: number
  readonly mcpServers?: Readonly<Record<string, McpServer>>
  /** Wires beside the built-in ones. */
  readonly wires?: readonly WireDefinition[]
  /** Tools the gateway runs itself. */
  readonly tools?: Iterable<GatewayTool | PlainTool>
  /** For a type of hosted tools that clients declare, such as `web_search`, the tool that does its work here. */
  readonly hosted?: Readonly<Record<string, GatewayTool | PlainTool>>
}

export interface StoreSettings {
  readonly kind: StoreKind
  readonly path: string
  /** Empty for a store that is not on a server. */
  readonly url: string
  readonly ttlMs: number
  readonly maxBytes?: number
  readonly maxRecords?: number
  readonly durability: 'normal' | 'full'
  /** Chosen by the user, so that no other kind may replace it. */
  readonly isChosen: boolean
}

/** A configuration once everything is looked up: what the commands work with. */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly healthPort?: number
  readonly workers: number | 'auto'
  /** None: the embedded demo model answers. */
  readonly upstreams: readonly Upstream[]
  readonly model?: string
  /** Those of tenants too. */
  readonly keys: readonly string[]
  readonly tenants: readonly Tenant[]
  readonly limitsWithoutStore: WithoutStore
  readonly operatorKeys: readonly string[]
  readonly sealKeys: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly store: StoreSettings
  readonly limits: LimitsConfig
  readonly losses: LossPolicy
  readonly webSockets: SocketMode
  readonly log: LogConfig
  readonly trace: TraceConfig | false
  readonly prices: readonly Price[]
  readonly otel: boolean
  readonly inspector: boolean
  readonly heartbeatMs: number
  readonly shutdownMs: number
  readonly toolTimeoutMs?: number
  readonly mcpServers: Readonly<Record<string, McpServer>>
  /** Wires beside the built-in ones. */
  readonly wires: readonly WireDefinition[]
  /** Where those were imported from. */
  readonly wireModules: readonly string[]
  readonly tools: readonly GatewayTool[]
  /** By type. */
  readonly hosted: Readonly<Record<string, GatewayTool>>
  /** The same as it would be written in a file, defaults included. */
  readonly config: ToolwireConfig
}

/**
 * For `toolwire.config.ts` and `toolwire.config.js`: returns the configuration unchanged, with its type.
 *
 * @example
 * ```js
 * import { defineConfig, defineTool } from 'toolwire'
 *
 * const now = defineTool({ name: 'now', description: 'The time', handler: () => new Date().toISOString() })
 * const config = defineConfig({
 *   upstreams: [{ name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' }],
 *   tools: [now],
 * })
 * console.log(config.upstreams.length) // in a file: export default config
 * ```
 */
export function defineConfig(config: ToolwireConfig): ToolwireConfig {
  return config
}
