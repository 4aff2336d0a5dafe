/** `POST /v1/messages/count_tokens`: the upstream's own count where it has one, else counted here. */
import { counterForModel, countRequest } from '@toolwire/core/tokens'
import type { RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { readJson } from '../http/read-body.ts'
import { upstreamHeaders, upstreamUrl } from '../upstream/headers.ts'
import { askUpstream } from '../upstream/query.ts'
import type { Destination } from '../upstream/route-model.ts'

export async function countTokens(context: RequestContext): Promise<void> {
  const body = await readJson(context)
  if (typeof body.model !== 'string') {
    throw new GatewayError('invalid_request', 'The request names no model.', { param: 'model' })
  }
  const destination = context.gateway.router(body.model)
  const counted = await countedByUpstream(context, destination, body)
  if (counted !== undefined) return sendJson(context, 200, counted)
  const counter = await counterForModel(destination.model)
  const { total, method } = countRequest(body, { wire: 'messages', counter })
  sendJson(context, 200, { input_tokens: total }, { 'x-toolwire-count-method': method })
}

/** Nothing when the upstream cannot count, or not now. */
async function countedByUpstream(
  { gateway, request, signal }: RequestContext,
  { upstream, model }: Destination,
  body: JsonObject,
): Promise<object | undefined> {
  if (upstream.wire !== 'messages') return undefined
  try {
    const { status, bytes } = await askUpstream(
      gateway,
      upstream,
      {
        method: 'POST',
        url: upstreamUrl(upstream, '/count_tokens'),
        headers: upstreamHeaders(upstream, request.headers, false),
        body: JSON.stringify({ ...body, model }),
        firstByteMs: Math.min(30_000, upstream.timeouts.firstByteMs),
        limit: gateway.limits.answerBytes,
      },
      signal,
    )
    const counted: unknown = status < 300 ? JSON.parse(bytes.toString('utf8')) : undefined
    return typeof counted === 'object' && counted !== null ? counted : undefined
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}
