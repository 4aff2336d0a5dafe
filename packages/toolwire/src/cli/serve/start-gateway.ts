/** Puts a gateway together from its settings and opens its port. */

import type { Server } from 'node:http'
import { compact } from '@toolwire/core/json'
import type { GatewayTool, Settings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { localUrl } from '../../config/machine.ts'
import { createGateway, type Gateway } from '../../gateway/create-gateway.ts'
import { createNodeServer } from '../../gateway/http/node-server.ts'
import type { ChangeableOptions } from '../../gateway/make-context.ts'
import type { Upstream } from '../../gateway/settings.ts'
import type { McpServers } from '../../mcp/connect-servers.ts'
import { makeObjectsYoung } from '../../platform/heap.ts'
import type { FactsObserver, TraceReader } from '../../telemetry/observer.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { DealtConnections } from '../cluster/dealt-connections.ts'
import type { Peers } from '../cluster/peers.ts'
import type { Environment } from './environment.ts'
import { type HealthWatch, watchHealth } from './health.ts'
import { hasInspector, inspectorFor } from './inspector.ts'
import { listen } from './listen.ts'
import { createMcpStatusLog, problemText } from './log-mcp-status.ts'
import { type Watchers, watchersFor } from './observers.ts'
import { type OpenedStore, openStore } from './open-store.ts'
import { type Stoppable, stopGateway } from './stop-gateway.ts'
import { keepUp } from './store-upkeep.ts'
import { keepUsage, type UsageKeeping } from './usage.ts'

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
  inspectorLink(): string | undefined | Promise<string | undefined>
  /** Takes over what can change while it runs. */
  update(settings: Settings): Promise<void>
}

/** One that runs in this process. */
export interface LocalGateway extends RunningGateway {
  readonly server: Server
  readonly gateway: Gateway
  /** Tells all that watch of the exchanges that have ended so far. */
  flush(): void
  /** Frees what belongs to it, once no exchange is left. */
  free(): Promise<void>
  inspectorLink(): string | undefined
  /** For such a link. */
  signInCode(): string | undefined
}

export interface StartOptions {
  readonly io: Io
  readonly world: Environment
  readonly version: string
  /** The port was not asked for, so that the next free one may replace it. */
  readonly isUsualPort?: boolean
  /** Observes beside the log, metrics and traces. */
  readonly observer?: FactsObserver
  /** The other processes of the same gateway. */
  readonly peers?: Peers
}

/** What a gateway is made of, opened and to be closed with it. */
interface Parts extends OpenedStore {
  readonly mcp: McpServers | undefined
  readonly usage: UsageKeeping
  readonly watchers: Watchers
}

async function openParts(
  settings: Settings,
  { io, world, version, observer, peers }: StartOptions,
  current: () => Settings,
  tell: (line: string) => void,
): Promise<Parts> {
  const taken = [...settings.tools, ...handlersOf(settings)].map(({ name }) => name)
  const [opened, mcp] = await Promise.all([
    openStore(settings.store, () => tell('The store is open now.')),
    connectMcp(settings, { taken, version, tell, world }),
  ])
  const { store, warning } = opened
  if (peers !== undefined && store?.kind === 'memory') throw memoryRefused(warning)
  const usage = keepUsage(current, store, world, peers)
  const kept = { keeper: store, every: world.every }
  const about = { version, store: store?.kind ?? 'none', observer, usage, peers, ...kept }
  return { ...opened, mcp, usage, watchers: await watchersFor(settings, about, io) }
}

export async function startGateway(settings: Settings, options: StartOptions): Promise<LocalGateway> {
  const { io, world, version, peers } = options
  makeObjectsYoung()
  const tell = teller(io, peers)
  let current = settings
  const parts = await openParts(settings, options, () => current, tell)
  const { store, description, mcp, usage, watchers } = parts
  const { sealKeys, webSockets } = settings
  const { connections, addressConnections, ...limits } = settings.limits
  const gateway = createGateway({
    ...(await changeableOf(settings, mcp)),
    wires: settings.wires,
    wireModules: settings.wireModules,
    sealKeys,
    limits,
    webSockets,
    shortTurns: true,
    version,
    ttlMs: settings.store.ttlMs,
    ...(store !== undefined && { store }),
    ...watchers.watching,
    ...inspectorFor(() => current, mcp, peers),
  })
  const server = createNodeServer(gateway, compact({ connections, addressConnections }))
  const free = async (): Promise<void> => {
    await gateway.close()
    await mcp?.close()
    await watchers.close()
    await usage.close()
    await store?.close()
  }
  let door: Door
  let health: HealthWatch | undefined
  try {
    door = await openDoor(server, settings, options)
    health = await watchHealth(settings, gateway, world)
  } catch (error) {
    server.close()
    await free()
    throw error
  }
  const signInCode = (): string | undefined => {
    const [key] = current.keys
    return key === undefined ? undefined : gateway.signInCode(key)
  }
  const freeAll = async (): Promise<void> => {
    stopUpkeep()
    await health?.close()
    await free()
  }
  const { port, close } = door
  const stopUpkeep = store === undefined ? () => {} : keepUp(store, world, tell)
  return {
    server,
    gateway,
    flush: watchers.flush,
    free: freeAll,
    active: () => gateway.active,
    stop: shutdownMs => stopGateway({ server, close, gateway, free: freeAll }, shutdownMs),
    signInCode,
    url: localUrl(settings.host, port),
    ...(hasInspector(settings) && { inspectorUrl: `${localUrl(settings.host, port)}/` }),
    inspectorLink() {
      if (!hasInspector({ ...current, host: settings.host, trace: settings.trace })) return undefined
      const code = signInCode()
      return `${localUrl(settings.host, port)}/${code === undefined ? '' : `#code=${code}`}`
    },
    ...(health !== undefined && { healthUrl: localUrl(settings.host, health.port) }),
    upstreams: await upstreamsOf(settings),
    storeDescription: description,
    toolCount: settings.tools.length + handlersOf(settings).length + (mcp?.tools.length ?? 0),
    ...(watchers.watching.traces !== undefined && { traces: watchers.watching.traces }),
    async update(changed) {
      current = changed
      watchers.hide(changed)
      gateway.update(await changeableOf(changed, mcp))
    },
    warnings: warningsOf(settings, parts, mcp),
  }
}

/** Of several processes, one tells. */
function teller({ stderr }: Io, peers: Peers | undefined): (line: string) => void {
  return line => {
    if (peers?.isSpeaker !== false) stderr.write(`${printable(line)}\n`)
  }
}

interface Door {
  readonly port: number
  /** Lets no connection in any more, and resolves when all are closed. */
  close(): Promise<void>
}

/** Opens the port, unless another process does and deals the connections out. */
async function openDoor(
  server: Server,
  { host, port }: Settings,
  { peers, isUsualPort }: StartOptions,
): Promise<Door> {
  if (peers === undefined) {
    const close = (): Promise<void> => new Promise(resolve => server.close(() => resolve()))
    return { port: await listen(server, host, port, isUsualPort), close }
  }
  const dealt = new DealtConnections(server)
  peers.onConnection(dealt.take)
  return { port, close: () => dealt.close() }
}

/** A memory that each process has for itself would find a response only by chance. */
function memoryRefused(reason: string | undefined): ConfigError {
  const message = `The store "memory" is that of one process, and several worker processes have to share one.${reason === undefined ? '' : ` ${reason}`}`
  const remedy =
    'Choose --store sqlite, a path or an address for it, --store none to keep nothing, or leave out --workers.'
  return new ConfigError([{ path: ['workers'], message, remedy }])
}

const noTracesKept =
  '"trace.keptEntries" needs the sqlite store, which this gateway has not; traces are in memory only.'

function warningsOf(
  { trace }: Settings,
  { store, warning }: OpenedStore,
  mcp: McpServers | undefined,
): string[] {
  const keepsTraces = trace !== false && (trace.keptEntries ?? 0) > 0
  return [
    ...(warning === undefined ? [] : [warning]),
    ...(keepsTraces && store?.kind !== 'sqlite' ? [noTracesKept] : []),
    ...(mcp?.problems.map(problemText) ?? []),
  ]
}

/** What a gateway can be given anew while it runs. */
async function changeableOf(settings: Settings, mcp: McpServers | undefined): Promise<ChangeableOptions> {
  const { keys, operatorKeys, allowedHosts, allowedOrigins, losses, heartbeatMs, toolTimeoutMs } = settings
  const { tools: own, model, tenants, prices, limitsWithoutStore } = settings
  return {
    upstreams: await upstreamsOf(settings),
    keys,
    tenants,
    prices,
    limitsWithoutStore,
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

export async function upstreamsOf({ upstreams }: Settings): Promise<readonly Upstream[]> {
  return upstreams.length === 0 ? [await demoUpstream()] : upstreams
}

interface McpPlace {
  /** Names of tools that others have. */
  readonly taken: readonly string[]
  readonly version: string
  readonly world: Environment
  tell(line: string): void
}

async function connectMcp({ mcpServers }: Settings, place: McpPlace): Promise<McpServers | undefined> {
  if (Object.keys(mcpServers).length === 0) return undefined
  const { taken, version, world, tell } = place
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
