/** One exchange while it runs: what the client sent, where it goes, and what has become of it so far. */
import type {
  Diagnostic,
  Exchange,
  NativeCompaction,
  Seal,
  StreamLimits,
  WireDefinition,
} from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type { Draft } from '@toolwire/core/json'
import type { HeldIds, WireJob } from '@toolwire/core/wires'
import type { Stopwatch } from '../../platform/clock.ts'
import type { RequestContext } from '../context.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { StatefulRequest } from '../responses-api/state.ts'
import type { ResponseWriter } from '../responses-api/unsaved-responses.ts'
import type { Limits } from '../settings.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import type { CompactionPlan } from '../workers/protocol.ts'

export interface ExchangeRun {
  readonly context: RequestContext
  /** The client's. */
  readonly wire: WireDefinition
  readonly upstream: ServedUpstream
  readonly upstreamModel: string
  readonly exchange: Exchange
  /** What the client sent, as the codec reads it; empty where its bytes pass unread. */
  readonly body: JsonObject
  /** The client's bytes go to the upstream unchanged. */
  readonly passes: boolean
  readonly streamed: boolean
  /** Other upstreams serve the model too. */
  readonly isShared: boolean
  /** There is another upstream to ask if this one fails before the client has got anything. */
  readonly mayFallBack: boolean
  /** Gets the request ready for that one, where no client waits that it could be served to. */
  readonly next?: NextUpstream | undefined
  readonly state: StatefulRequest | undefined
  /** Set where the ids in the answer are to be recorded as the client's. */
  readonly heldIds: HeldIds | undefined
  /** The answer tells of something that was made before, so ids in it may be somebody else's. */
  readonly isLookup: boolean
  /** The client's id of the answer; empty where the gateway does not store it. */
  readonly responseId: string
  readonly createdAt: number
  /** Where the answer is stored. */
  readonly store: ResponseWriter | undefined
  /** Set where a worker converted the request: the whole of a next one, which is given without its history. */
  readonly nextRequest: ((value: JsonObject) => Promise<Uint8Array>) | undefined
  readonly diagnostics: Diagnostic[]
  readonly stopwatch: Stopwatch
  readonly job?: WireJob | undefined
  /** The conversation is summarised before it goes on. */
  readonly compaction?: CompactionPlan | undefined
  /** What the upstream is to summarise, or to read, of which it is not certain that it can. */
  readonly watched?: NativeCompaction | undefined
  /** The client wants a shorter conversation instead of an answer: the messages of the user, and the summary. */
  readonly window?: readonly unknown[] | undefined
}

/** A request that is ready to be sent to its upstream. */
export interface ReadyRun {
  readonly run: ExchangeRun
  readonly body: string | Uint8Array
}

export type NextUpstream = (context: RequestContext, responseId: string) => Promise<ReadyRun>

/** Parts of one streamed answer. Many wires end all parts together, in one turn of the event loop. */
const mostParts = 1_000

export function streamLimits({ eventLength, eventNodes, streamLength }: Limits): StreamLimits {
  return { event: eventLength, nodes: eventNodes, stream: streamLength, parts: mostParts }
}

/**
 * `answerId`: an upstream's ids may repeat or be guessed, so a stored answer gets one of the gateway's. `seal`: absent where
 * the client's bytes pass unread.
 */
export function openExchange(
  { gateway, owner }: RequestContext,
  wire: WireDefinition,
  { upstream, model }: Destination,
  answerId = '',
  seal?: Seal,
): Exchange {
  const { tools, hosted, limits } = gateway
  const { name, wire: upstreamWire, exchangeOptions } = upstream
  // Keys are added one by one: several spreads into one object take many times as long on Node 20.
  const options: Draft<Parameters<typeof createExchange>[0]> = {
    from: wire,
    to: upstreamWire,
    upstream: name,
    model,
    parsed: true,
    newId: gateway.newId,
    now: gateway.now,
    limits: streamLimits(limits),
  }
  Object.assign(options, wire === upstreamWire ? exchangeOptions.same : exchangeOptions.other)
  if (answerId !== '') options.answerId = answerId
  if (seal !== undefined) {
    options.seal = seal
    options.sealsOwnWire = gateway.sharedWires.has(wire) || upstream.keepsReasoning(model)
    options.compacts = true
  }
  if (tools.length > 0) options.tools = tools
  if (tools.length > 0 || hosted.length > 0) {
    options.serverCallRecordFor = callId => gateway.serverCallMemory.find(owner, callId)
  }
  return createExchange(options)
}
