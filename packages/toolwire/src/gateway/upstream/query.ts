/** Small questions to an upstream besides exchanges: which models it has, how many tokens a request takes. */
import type { SignalLike } from '@toolwire/core'
import type { GatewayContext } from '../context.ts'
import { collect } from '../exchange/relay.ts'
import { openAnswer } from './attempt.ts'
import type { ServedUpstream } from './served.ts'

export interface Question {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly firstByteMs: number
  readonly limit: number
}

export async function askUpstream(
  gateway: GatewayContext,
  upstream: ServedUpstream,
  question: Question,
  signal: SignalLike,
): Promise<{ status: number; headers: Readonly<Record<string, string>>; bytes: Buffer }> {
  const { method, url, headers, body = '', firstByteMs, limit } = question
  const { connectMs, idleMs } = upstream.timeouts
  const { clock } = gateway
  const { name } = upstream
  const transport = await gateway.transportFor(upstream)
  const request = { method, url, headers, body, connectMs }
  const answer = await openAnswer({ transport, request, firstByteMs, clock, signal, name })
  const bytes = await collect({ answer, limit, clock, idleMs: Math.min(idleMs, firstByteMs), signal, name })
  return { status: answer.status, headers: answer.headers, bytes }
}
