/** How many tokens a request has: the upstream's own count where it has one, else counted here. */
import type { Path } from '@toolwire/core'
import { countJsonNodes } from '@toolwire/core/json'
import type { HeldReference } from '@toolwire/core/wires'
import type { Item } from '../../store/store.ts'
import type { RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { foreignPaths, referencesFor } from '../exchange/held-ids.ts'
import { parseAnswer } from '../exchange/parse-answer.ts'
import type { Endpoint } from '../exchange/routed-request.ts'
import { missingModel } from '../exchange/routed-request.ts'
import { readRequest } from '../exchange/serve.ts'
import { readIn } from '../exchange/serve-large.ts'
import { withoutPaths } from '../exchange/without-paths.ts'
import { textBytes } from '../http/byte-budget.ts'
import { asBuffer } from '../http/bytes.ts'
import { parseJsonBody, readBytes, weighBody } from '../http/json-body.ts'
import { stateOf } from '../responses-api/request-state.ts'
import { referredIds } from '../responses-api/state.ts'
import { charge } from '../tenants/charge.ts'
import { routeFor } from '../tenants/tenants.ts'
import { withoutThread } from '../threads/thread.ts'
import { destinationsFor } from '../upstream/choose-wire.ts'
import { queryUpstream } from '../upstream/request.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { workersFor } from '../workers/eligible.ts'
import { giveTexts } from '../workers/give-texts.ts'
import { loopLimits, refuseForLoop } from '../workers/loop-limits.ts'
import type { Worker } from '../workers/pool.ts'
import type { FoundState, TokenCount } from '../workers/protocol.ts'
import { countTokensOf } from './count-request.ts'

export async function countTokens(context: RequestContext, endpoint: Endpoint): Promise<void> {
  const bytes = await withHistory(context, endpoint, await readBytes(context))
  // A tokenizer takes long for some texts, and long to load.
  const workers = workersFor(context, endpoint.wire)
  await (workers === undefined
    ? countHere(context, endpoint, bytes)
    : workers.with(context.signal, worker => countThere(context, endpoint, bytes, worker)))
}

/** A thread is counted as what the model reads of it. */
async function withHistory(
  context: RequestContext,
  endpoint: Endpoint,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const { thread } = endpoint.fields
  if (thread === undefined || !asBuffer(bytes).includes(`"${thread}"`)) return bytes
  const limits = loopLimits(context.gateway)
  refuseForLoop(bytes.length, limits)
  weighBody(context, bytes.length, countJsonNodes(asBuffer(bytes).toString('latin1')))
  const given = parseJsonBody(bytes, limits)
  const { model, body } = readRequest(context, endpoint, given)
  if (model === undefined) throw missingModel(endpoint)
  const [destination] = destinationsFor(routeFor(context, model), endpoint.wire, undefined)
  const whole = await withoutThread(context, { endpoint, destination }, body)
  return whole === body ? bytes : Buffer.from(JSON.stringify(whole))
}

async function countThere(
  context: RequestContext,
  endpoint: Endpoint,
  bytes: Uint8Array,
  worker: Worker,
): Promise<void> {
  context.memory.take(textBytes(bytes.length), 'request')
  const { model, references, head, referred } = await readIn(worker, context, endpoint, bytes)
  await answerCount(context, endpoint, {
    model,
    references: () => references,
    rewrite: async (name, foreign) => (await worker.run('rewrite', { model: name, foreign })).bytes,
    async count(name, history) {
      await giveTexts(worker, 'history', history)
      return worker.run('count', { model: name })
    },
    state: upstream => stateOf(context, upstream, head, () => referred),
  })
}

async function countHere(context: RequestContext, endpoint: Endpoint, bytes: Uint8Array): Promise<void> {
  const { wire } = endpoint
  const limits = loopLimits(context.gateway)
  refuseForLoop(bytes.length, limits)
  weighBody(context, bytes.length, countJsonNodes(asBuffer(bytes).toString('latin1')))
  const { model, body, streamed } = readRequest(context, endpoint, parseJsonBody(bytes, limits))
  await answerCount(context, endpoint, {
    model,
    references: () => wire.service.http.heldIds?.references(body) ?? [],
    rewrite: async (name, foreign) =>
      JSON.stringify(wire.service.http.write({ model: name, streamed, body: withoutPaths(body, foreign) })),
    count: (name, history) =>
      countTokensOf({ body, bytes: bytes.length, history }, { wire, model: name, isOffLoop: false }),
    state: upstream => stateOf(context, upstream, body, () => referredIds(body.input)),
  })
}

/** A request that can be counted, wherever it was read. */
interface CountableRequest {
  readonly model: string | undefined
  /** The request for an upstream of its own wire, which knows the model by this name. */
  rewrite(model: string, foreign: readonly Path[]): Promise<string | Uint8Array>
  /** To what the upstream holds. */
  references(): readonly HeldReference[]
  count(model: string, history: readonly Item[]): Promise<TokenCount>
  /** What it continues, where that is not the upstream's. */
  state(upstream: ServedUpstream): Promise<FoundState | undefined>
}

async function answerCount(
  context: RequestContext,
  endpoint: Endpoint,
  request: CountableRequest,
): Promise<void> {
  if (request.model === undefined) throw missingModel(endpoint)
  const found = routeFor(context, request.model)
  // Counted as a request; what is only counted uses no tokens.
  await charge(context, found, () => 0)
  const [destination] = destinationsFor(found, endpoint.wire, undefined)
  const { upstream } = destination
  const relevant = referencesFor(context, endpoint.wire, upstream)
  const foreign = relevant ? await foreignPaths(relevant(request.references()), context, upstream) : []
  const counted = await countedByUpstream(context, endpoint, destination, name =>
    request.rewrite(name, foreign),
  )
  if (counted !== undefined) return sendJson(context, 200, counted)
  // What the request continues, the model reads again.
  const { history = [] } = (endpoint.isStateful ? await request.state(upstream) : undefined) ?? {}
  const { total, method } = await request.count(destination.model, history)
  const answer = endpoint.wire.service.http.encodeTokenCount?.(total) ?? { tokens: total }
  sendJson(context, 200, answer, { 'x-toolwire-count-method': method })
}

const longestCount = 64 * 1024

/** `undefined` when the upstream cannot count, or not now. */
async function countedByUpstream(
  { gateway, request, signal }: RequestContext,
  { wire }: Endpoint,
  { upstream, model }: Destination,
  rewrite: (model: string) => Promise<string | Uint8Array>,
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
        client: { wire, headers: request.headers },
        body: await rewrite(model),
        firstByteMs: Math.min(30_000, upstream.timeouts.firstByteMs),
        limit: longestCount,
      },
      signal,
    )
    const counted: unknown = status < 300 ? parseAnswer(bytes, upstream.name, loopLimits(gateway)) : undefined
    return typeof counted === 'object' && counted !== null ? counted : undefined
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}
