/**
 * Responses and conversations that an upstream keeps itself. What the gateway has not stored is asked for there, by the
 * owner rules of everything that an upstream holds (decision 20).
 */
import type { Exchange } from '@toolwire/core'
import { builtInWires, createExchange } from '@toolwire/core'
import { fillPath } from '@toolwire/core/wires'
import type { GatewayContext, GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { collectAnswer } from '../exchange/collect-answer.ts'
import { checkReferences, claimUnreadIds } from '../exchange/held-ids.ts'
import { conversionHeaders } from '../exchange/loss-report.ts'
import { isRefusal, readRefusal } from '../exchange/refusal.ts'
import { createEndpoint, noteEnd, noteUpstream, openRun } from '../exchange/routed-request.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { streamLimits } from '../exchange/run.ts'
import { sendBytes } from '../exchange/send-bytes.ts'
import { answerStreamed } from '../exchange/streamed.ts'
import type { JsonObject } from '../http/json-body.ts'
import { readJson } from '../http/json-body.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { sendUpstream } from '../upstream/request.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { isStateful } from './state.ts'

type Handler = GatewayRoute['handle']

/** Of the gateway's own answers: what they are about may be at an upstream. */
const notHere: ReadonlySet<string | undefined> = new Set([
  'response_not_found',
  'conversation_not_found',
  'no_store',
])

/** Answers from the store, or where it has no such thing, from the upstream that holds it. */
export function hereOrAtUpstream(serve: Handler): Handler {
  return async context => {
    try {
      await serve(context)
    } catch (error) {
      if (!(error instanceof GatewayError) || !notHere.has(error.code)) throw error
      let body: JsonObject | undefined
      for (const upstream of holdersOf(context)) {
        if (!(await mayAsk(context, upstream))) continue
        body ??= await bodyOf(context)
        if (await passOn(context, upstream, body, { is404Shown: false })) return
      }
      // Whatever an upstream says of an id that it does not know, all unknown ids get the same words.
      throw error
    }
  }
}

/** A new conversation is made at the upstream where all requests go there; of several, not all would know it. */
export function createdWhereUsed(create: Handler): Handler {
  return async context => {
    const { upstreams, store } = context.gateway
    const [holder] = upstreams.length === 1 || store === undefined ? holdersOf(context) : []
    if (holder === undefined) await create(context)
    else await passOn(context, holder, await bodyOf(context), { is404Shown: true })
  }
}

/** The upstreams that keep responses and conversations themselves. */
function holdersOf({ gateway, tenant }: RequestContext): readonly ServedUpstream[] {
  return gateway.upstreams
    .filter(({ disabled, name }) => disabled === undefined && tenant?.allowsUpstream(name) !== false)
    .flatMap(({ speaks }) => speaks.filter(({ wire, needsState }) => isStateful(wire) && !needsState))
}

async function mayAsk(
  { gateway, owner, params }: RequestContext,
  { holder, unknownIds }: ServedUpstream,
): Promise<boolean> {
  const ids = Object.values(params)
  if (ids.some(id => leadsElsewhere.test(id))) return false
  if (!gateway.guard.hasSeveralOwners) return true
  const owners = await gateway.idOwners.ownersOf(holder, ids)
  if (ids.some(id => (owners.get(id) ?? owner) !== owner)) return false
  // The item of a conversation may be one that nobody has been told of yet.
  return unknownIds === 'pass' || owners.has(params.id ?? '')
}

/** Such a segment would make another path of an address. */
const leadsElsewhere = /^\.{0,2}$/

const wire = builtInWires.responses
const endpoint = createEndpoint(wire, {})

/** Sends the request to the upstream, and its answer to the client. `false`: it does not know what it is about. */
async function passOn(
  context: RequestContext,
  upstream: ServedUpstream,
  body: JsonObject,
  { is404Shown }: { readonly is404Shown: boolean },
): Promise<boolean> {
  noteUpstream(context, wire, upstream)
  const streamed = context.query.get('stream') === 'true'
  const destination = { upstream, model: '' }
  const exchange = unchanged(context.gateway, upstream)
  const run = openRun(
    { context, endpoint, model: '', destination, streamed },
    { exchange, body: {}, passes: true, isLookup: true },
  )
  try {
    const answer = await sendUpstream(run, await requestFor(run, body))
    if (answer.status === 404 && !is404Shown) {
      answer.abort()
      return false
    }
    await answerWith(run, answer)
    return true
  } finally {
    noteEnd(run)
  }
}

/** The gateway's own tools have no part in what is there already. */
function unchanged({ newId, now, limits }: GatewayContext, { name }: ServedUpstream): Exchange {
  const exchange = createExchange({
    from: wire,
    to: wire,
    upstream: name,
    parsed: true,
    newId,
    now,
    limits: streamLimits(limits),
  })
  exchange.passthrough(() => ({}))
  return exchange
}

async function requestFor(
  { context, upstream, streamed }: ExchangeRun,
  body: JsonObject,
): Promise<Parameters<typeof sendUpstream>[1]> {
  const { request, route, params, query } = context
  const path = fillPath(route.path.slice(wire.service.http.prefix.length), params)
  const sent = await checkReferences(body, wire, context, upstream)
  return {
    method: route.method,
    url: upstream.baseUrl + path + (query.size === 0 ? '' : `?${query}`),
    headers: upstream.requestHeaders({ wire, headers: request.headers }, streamed),
    body: hasBody(context) ? JSON.stringify(sent) : '',
  }
}

async function answerWith(run: ExchangeRun, answer: UpstreamAnswer): Promise<void> {
  const { context } = run
  if (isRefusal(answer)) {
    const { status, value, headers } = await readRefusal(run, answer)
    sendJson(context, status, value, { ...conversionHeaders(run), ...headers })
  } else if (run.streamed) await answerStreamed(run, async () => answer)
  else {
    const bytes = await collectAnswer(run, answer)
    await claimUnreadIds(run, bytes)
    sendBytes(run, answer.status, bytes, answer.headers['content-type'])
  }
}

/** Only what makes or changes a conversation has a body. */
function hasBody({ route }: RequestContext): boolean {
  return route.method === 'POST' && !route.path.endsWith('/cancel')
}

async function bodyOf(context: RequestContext): Promise<JsonObject> {
  return hasBody(context) ? readJson(context) : {}
}
