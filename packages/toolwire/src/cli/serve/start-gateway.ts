/** Puts a gateway together from its settings and opens its port. */

import { compact } from '@toolwire/core/json'
import type { GatewayTool, Settings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { localUrl } from '../../config/machine.ts'
import { createGateway } from '../../gateway/create-gateway.ts'
import { createNodeServer } from '../../gateway/http/node-server.ts'
import type { ChangeableOptions } from '../../gateway/make-context.ts'
import type { Upstream } from '../../gateway/settings.ts'
import type { McpServers } from '../../mcp/connect-servers.ts'
import type { Observer, TraceReader } from '../../telemetry/observer.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Environment } from './environment.ts'
import { type HealthWatch, watchHealth } from './health.ts'
import { hasInspector, inspectorFor } from './inspector.ts'
import { listen } from './listen.ts'
import { createMcpStatusLog, problemText } from './log-mcp-status.ts'
import { watchersFor } from './observers.ts'
import { openStore } from './open-store.ts'
import type { Stoppable } from './stop-gateway.ts'
import { keepUp } from './store-upkeep.ts'
import { keepUsage } from './usage.ts'

export interface RunningGateway extends Stoppable {
  /** Where a client on this machine reaches it. */
  readonly url: string
  /** Where `/live` and `/ready` are answered by a thread of their own. */
  readonly healthUrl?: string
  readonly upstreams: readonly Upstream[]
  readonly storeDescription: string
  /** How many tools it runs itself. */
  readonly toolCount: number
  readonly warnings: readonly string[]
  readonly traces?: TraceReader
  /** The page that shows them, where there is one. */
  readonly inspectorUrl?: string
  /** A link to it that signs in once, where a key is asked for. */
  inspectorLink(): string | undefined
  /** Takes over what can change while it runs. */
  update(settings: Settings): Promise<void>
}

interface StartOptions {
  readonly io: Io
  readonly world: Environment
  readonly version: string
  /** The port was not asked for, so that the next free one may replace it. */
  readonly isUsualPort?: boolean
  /** Observes beside the log, metrics and traces. */
  readonly observer?: Observer
}

export async function startGateway(
  settings: Settings,
  { io, world, version, isUsualPort, observer }: StartOptions,
): Promise<RunningGateway> {
  const own = settings.tools
  const handlers = handlersOf(settings)
  const tell = (line: string): void => void io.stderr.write(`${printable(line)}\n`)
  const [opened, mcp] = await Promise.all([
    openStore(settings.store, () => tell('The store is open now.')),
    connectMcp(settings, { taken: [...own, ...handlers].map(({ name }) => name), version, io, world }),
  ])
  const { store, description, warning } = opened
  const { sealKeys, webSockets } = settings
  const { connections, addressConnections, ...limits } = settings.limits
  const usage = keepUsage(settings, await upstreamsOf(settings), store, world)
  const about = { version, store: store?.kind ?? 'none', observer, usage }
  const watchers = await watchersFor(settings, about, io)
  let current = settings
  const gateway = createGateway({
    ...(await changeableOf(settings, mcp)),
    wires: settings.wires,
    wireModules: settings.wireModules,
    sealKeys,
    limits,
    webSockets,
    version,
    ttlMs: settings.store.ttlMs,
    ...(store !== undefined && { store }),
    ...watchers.watching,
    ...inspectorFor(() => current, mcp),
  })
  const server = createNodeServer(gateway, compact({ connections, addressConnections }))
  const free = async (): Promise<void> => {
    await gateway.close()
    await mcp?.close()
    await usage.close()
    await store?.close()
    watchers.close()
  }
  let port: number
  let health: HealthWatch | undefined
  try {
    port = await listen(server, settings.host, settings.port, isUsualPort)
    health = await watchHealth(settings, gateway, world)
  } catch (error) {
    server.close()
    await free()
    throw error
  }
  const stopUpkeep = store === undefined ? () => {} : keepUp(store, world, tell)
  return {
    server,
    gateway,
    async free() {
      stopUpkeep()
      await health?.close()
      await free()
    },
    url: localUrl(settings.host, port),
    ...(hasInspector(settings) && { inspectorUrl: `${localUrl(settings.host, port)}/` }),
    inspectorLink() {
      if (!hasInspector(current)) return undefined
      const [key] = current.keys
      const code = key === undefined ? undefined : gateway.signInCode(key)
      return `${localUrl(settings.host, port)}/${code === undefined ? '' : `#code=${code}`}`
    },
    ...(health !== undefined && { healthUrl: localUrl(settings.host, health.port) }),
    upstreams: await upstreamsOf(settings),
    storeDescription: description,
    toolCount: own.length + handlers.length + (mcp?.tools.length ?? 0),
    ...(watchers.watching.traces !== undefined && { traces: watchers.watching.traces }),
    async update(changed) {
      current = changed
      watchers.hide(changed)
      gateway.update(await changeableOf(changed, mcp))
    },
    warnings: [...(warning === undefined ? [] : [warning]), ...(mcp?.problems.map(problemText) ?? [])],
  }
}

/** What a gateway can be given anew while it runs. */
async function changeableOf(settings: Settings, mcp: McpServers | undefined): Promise<ChangeableOptions> {
  const { keys, operatorKeys, allowedHosts, allowedOrigins, losses, heartbeatMs, toolTimeoutMs } = settings
  const { tools: own, model } = settings
  return {
    upstreams: await upstreamsOf(settings),
    keys,
    operatorKeys,
    allowedHosts,
    allowedOrigins,
    losses,
    heartbeatMs,
    tools: { [Symbol.iterator]: () => [...own, ...(mcp?.tools ?? [])][Symbol.iterator]() },
    hosted: handlersOf(settings),
    // Named, so that an update can take them away.
    model,
    toolTimeoutMs,
  }
}

/** The gateway finds them by the type of the hosted tool. */
function handlersOf({ hosted }: Settings): GatewayTool[] {
  return Object.entries(hosted).map(([type, tool]) => ({ ...tool, name: type }))
}

async function upstreamsOf({ upstreams }: Settings): Promise<readonly Upstream[]> {
  return upstreams.length === 0 ? [await demoUpstream()] : upstreams
}

interface McpPlace {
  /** Names of tools that others have. */
  readonly taken: readonly string[]
  readonly version: string
  readonly io: Io
  readonly world: Environment
}

async function connectMcp({ mcpServers }: Settings, place: McpPlace): Promise<McpServers | undefined> {
  if (Object.keys(mcpServers).length === 0) return undefined
  const { taken, version, io, world } = place
  const tell = (line: string): void => void io.stderr.write(`${printable(line)}\n`)
  let news = (): string[] => []
  const options = {
    version,
    taken,
    after: world.after,
    onLog: (server: string, line: string) => tell(`[${server}] ${line}`),
    onChange: () => news().forEach(tell),
  }
  const { connectMcpServers } = await import('../../mcp/connect-servers.ts')
  const servers = await connectMcpServers(mcpServers, options).catch((error: unknown) => {
    // It rejects only when the MCP client is not installed, with a message that names the package.
    throw new ConfigError([{ message: error instanceof Error ? error.message : String(error) }])
  })
  news = createMcpStatusLog(servers)
  return servers
}

export const demoName = 'demo'

/** The embedded demo model as an upstream like any other, but without a network. */
async function demoUpstream(): Promise<Upstream> {
  const { createDemoModel } = await import('../../demo/demo-model.ts')
  const { transport, models } = createDemoModel()
  return {
    name: demoName,
    wire: 'chat',
    // It is reached by its transport; no network resolves this name.
    baseUrl: 'http://demo.invalid/v1',
    // Clients bring their own model names, and the demo accepts any.
    models: [...models, '*'],
    transport,
  }
}
