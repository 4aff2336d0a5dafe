/** Model servers that run on this machine, at the ports they usually have. */
import { type Host, hosts } from '@toolwire/core/presets'
import { isLoopback } from '../../config/machine.ts'
import type { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import type { Environment } from '../serve/environment.ts'
import { queryModels } from '../upstreams/ask-models.ts'

/** Where they are looked for. */
const localHosts: readonly Host[] = hosts.filter(({ baseUrl }) => isLoopback(new URL(baseUrl).hostname))

export interface FoundServer {
  readonly host: Host
  readonly upstream: Upstream
  /** Those that can answer; a server may have none yet. */
  readonly models: readonly string[]
}

/** On this machine an answer takes no time, unless something else listens there. */
const timeoutMs = 1_500

export async function findServers(
  wires: WireSet,
  { fetch }: Pick<Environment, 'fetch'>,
): Promise<FoundServer[]> {
  const found = await Promise.all(
    localHosts.map(async (host): Promise<FoundServer[]> => {
      const {
        name,
        baseUrl,
        wires: [wire = ''],
      } = host
      const upstream = { name, wire, baseUrl }
      const { models } = await queryModels(upstream, wires, fetch, timeoutMs)
      if (models === undefined) return []
      const usable = models.filter(canAnswer)
      return [{ host, models: usable, upstream: { ...upstream, models: usable } }]
    }),
  )
  return found.flat()
}

/** Servers list models for embeddings beside the others. */
export function canAnswer(model: string): boolean {
  return !/embed|rerank|whisper|tts/i.test(model)
}

/** For messages: `Ollama (11434), LM Studio (1234)`. */
export function localPlaces(): string {
  return localHosts.map(({ title, baseUrl }) => `${title} (${new URL(baseUrl).port})`).join(', ')
}
