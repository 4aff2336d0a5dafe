/** How many tokens a request has: the upstream's own count where it has one, else counted here. */
import { counterForModel, countRequest } from '@toolwire/core/tokens'
import type { RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { parseAnswer } from '../exchange/collect-answer.ts'
import type { Endpoint } from '../exchange/serve.ts'
import { missingModel, readRequest } from '../exchange/serve.ts'
import type { JsonObject } from '../http/json-body.ts'
import { readJson } from '../http/json-body.ts'
import { queryUpstream } from '../upstream/request.ts'
import type { Destination } from '../upstream/route-model.ts'

export async function countTokens(context: RequestContext, endpoint: Endpoint): Promise<void> {
  const { wire } = endpoint
  const { model, body } = readRequest(context, endpoint, await readJson(context))
  if (model === undefined) throw missingModel(endpoint)
  const destination = context.gateway.router(model)
  const counted = await countedByUpstream(context, endpoint, destination, body)
  if (counted !== undefined) return sendJson(context, 200, counted)
  const counter = await counterForModel(destination.model)
  const { total, method } = countRequest(body, { wire, counter })
  const answer = wire.service.http.encodeTokenCount?.(total) ?? { tokens: total }
  sendJson(context, 200, answer, { 'x-toolwire-count-method': method })
}

/** `undefined` when the upstream cannot count, or not now. */
async function countedByUpstream(
  { gateway, request, signal }: RequestContext,
  { wire }: Endpoint,
  { upstream, model }: Destination,
  body: JsonObject,
): Promise<object | undefined> {
  const url = upstream.wire === wire ? upstream.url('count-tokens', model, false) : undefined
  if (url === undefined) return undefined
  try {
    const { status, bytes } = await queryUpstream(
      gateway,
      upstream,
      {
        method: 'POST',
        url,
        headers: upstream.requestHeaders({ wire, headers: request.headers }, false),
        body: JSON.stringify(wire.service.http.write({ model, streamed: body.stream === true, body })),
        firstByteMs: Math.min(30_000, upstream.timeouts.firstByteMs),
        limit: gateway.limits.answerBytes,
      },
      signal,
    )
    const counted: unknown = status < 300 ? parseAnswer(bytes, upstream.name, gateway.limits) : undefined
    return typeof counted === 'object' && counted !== null ? counted : undefined
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}
