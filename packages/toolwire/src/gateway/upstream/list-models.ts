/** Asks an upstream which models it has. */
import type { ModelFacts } from '@toolwire/core/wires'
import type { GatewayContext, RequestContext } from '../context.ts'
import { parseAnswer } from '../exchange/parse-answer.ts'
import { loopLimits } from '../workers/loop-limits.ts'
import { queryUpstream } from './request.ts'
import type { ServedUpstream } from './served.ts'

/** A client waits for what depends on the list, so a slow upstream has none. */
const timeoutMs = 3_000
const longestList = 2 * 1024 * 1024

/** `undefined` where the upstream does not say. The models are in the order of its list. */
export async function listUpstreamModels(
  gateway: GatewayContext,
  upstream: ServedUpstream,
  { request, signal, wire }: Pick<RequestContext, 'request' | 'signal' | 'wire'>,
): Promise<ReadonlyMap<string, ModelFacts> | undefined> {
  const { name, modelsUrl: url } = upstream
  if (url === undefined) return undefined
  const client = { wire, headers: request.headers }
  const query = { method: 'GET', url, client, firstByteMs: timeoutMs, limit: longestList } as const
  try {
    const { status, bytes } = await queryUpstream(gateway, upstream, query, signal)
    if (status >= 300) return undefined
    const list = parseAnswer(bytes, name, loopLimits(gateway))
    const { models } = upstream.wire.service.http
    const facts = models?.decodeFacts?.(list)
    return models && new Map(models.decodeIds(list).map(id => [id, facts?.get(id) ?? {}]))
  } catch {
    return undefined
  }
}
