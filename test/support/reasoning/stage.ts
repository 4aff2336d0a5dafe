/** A gateway that can be started again on the same store, before upstreams that reason. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createNodeServer } from '../../../packages/toolwire/src/gateway/http/node-server.ts'
import type { GatewayOptions, Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { openSqliteStore } from '../../../packages/toolwire/src/store/open-sqlite-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { close, listen, startUpstream } from '../gateway/upstream.ts'
import type { ReasoningModel } from './model.ts'
import type { Voice } from './voices.ts'

export interface StagedUpstream {
  readonly name: string
  readonly voice: Voice
  readonly model: ReasoningModel
  readonly settings?: Partial<Upstream>
}

export interface Stage {
  readonly baseURL: string
  readonly store: Store
  /** Ends the gateway and its store, and starts others on the same file. */
  restart(more?: Partial<GatewayOptions>): Promise<void>
}

/** The model of a request is the name of an upstream; any other goes to the first. */
export async function openStage(
  upstreams: readonly StagedUpstream[],
  options: Partial<GatewayOptions> = {},
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-reasoning-'))
  const path = join(folder, 'store.sqlite')
  const servers = await Promise.all(
    upstreams.map(({ model }) => startUpstream({ reply: model.reply as never })),
  )
  const settings = upstreams.map(({ name, voice, settings }, i) => ({
    name,
    wire: voice.wire,
    baseUrl: servers[i]?.baseUrl ?? '',
    retries: 0,
    models: i === 0 ? [name, 'm'] : [name],
    ...settings,
  }))
  const start = async (more: Partial<GatewayOptions>): Promise<Running> => {
    const store = await openSqliteStore({ path })
    const gateway = createGateway({ upstreams: settings, store, ...options, ...more })
    const server = createNodeServer(gateway)
    return { gateway, server, store, baseURL: `${await listen(server)}/v1` }
  }
  let running = await start({})
  onTestFinished(async () => {
    await stop(running)
    await Promise.all(servers.map(server => server.close()))
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get baseURL() {
      return running.baseURL
    },
    get store() {
      return running.store
    },
    async restart(more = {}) {
      await stop(running)
      running = await start(more)
    },
  }
}

interface Running {
  readonly gateway: Gateway
  readonly server: ReturnType<typeof createNodeServer>
  readonly store: Store
  readonly baseURL: string
}

async function stop({ gateway, server, store }: Running): Promise<void> {
  await gateway.close()
  await close(server)
  await store.close()
}
