/** Requests the list of an upstream's models: the cheapest way to learn whether it is there and accepts the key. */

import { parseJson } from '@toolwire/core/json'
import type { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { isOfConnecting } from '../../gateway/upstream/attempt.ts'
import { upstreamHeaders } from '../../gateway/upstream/served.ts'
import { withoutTrailingSlashes } from '../../platform/addresses.ts'
import type { Environment } from '../serve/environment.ts'

export interface ModelQuery {
  /** Absent when there was no answer. */
  readonly status?: number
  readonly models?: readonly string[]
  /** Why there was no answer. */
  readonly failure?: string
  /** There was no connection either, so that any other request would fail too. A slow answer may only be slow. */
  readonly isUnreachable?: boolean
}

export async function queryModels(
  upstream: Upstream,
  wires: WireSet,
  fetch: Environment['fetch'],
  timeoutMs: number,
): Promise<ModelQuery> {
  const wire = wires.find(upstream.wire)
  if (wire === undefined) return { failure: `there is no wire "${upstream.wire}"` }
  const { models: list } = wire.service.http
  try {
    const response = await fetch(withoutTrailingSlashes(upstream.baseUrl) + (list?.path ?? ''), {
      headers: upstreamHeaders(upstream, wire),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    return { status: response.status, ...(response.ok && { models: list?.decodeIds(parseJson(text)) ?? [] }) }
  } catch (error) {
    const isUnreachable = error instanceof Error && isOfConnecting(error)
    return { failure: reasonOf(error, timeoutMs), isUnreachable }
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  // The message of `fetch` itself is only that it failed.
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'there is no such host',
    EAI_AGAIN: 'the name of the host could not be looked up',
    ECONNRESET: 'the connection was cut',
  }
  if (code !== undefined && Object.hasOwn(known, code)) return known[code] ?? code
  return cause instanceof Error ? cause.message : error.message
}
