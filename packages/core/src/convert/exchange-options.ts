/** What an exchange is created with, and the checks that throw for a mistake in it. */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'

import type { WireConversation } from '../wires/define-wire.ts'
import type { ConversionContext } from './adapt/context.ts'
import type { Seal } from './shared/envelope.ts'
import type { MediaPolicies, PairingPolicy, ToolOptions } from './shared/options.ts'
import { toolOptionNames } from './shared/options.ts'
import type { FindServerCallRecord, ServerTool } from './shared/server-calls.ts'
import type { StreamLimits } from './stream/exchange-stream.ts'

export interface ExchangeOptions<W = WireConversation> extends ToolOptions {
  /** The client's wire. */
  readonly from: W
  /** The upstream's wire. */
  readonly to: W
  /**
   * The upstream's name, for whoever has several on one wire. What only its origin can read, such as a recorded answer
   * with sealed reasoning, is not sent to an upstream of another name.
   */
  readonly upstream?: string
  /** What to do about calls without a result and results without a call. */
  readonly pairing?: PairingPolicy
  /** What to do about images, files, audio and video of the user that the target cannot take. By default `error`. */
  readonly media?: MediaPolicies
  /** Limits for the length of the upstream's streams and of their events. */
  readonly limits?: StreamLimits
  /**
   * Server tools: tools that you run yourself. The upstream gets them together with the client's tools, and calls to
   * them are returned as `serverCalls`. The client sees at most an item saying that its provider ran a tool. If the
   * client declares a tool with the same name, the client's tool wins.
   */
  readonly tools?: Iterable<ServerTool>
  /**
   * Finds the stored result of `serverCallRecord` by the id of a call that the client was sent. The server tool calls
   * in it are put back into the client's history, which does not contain them.
   */
  readonly serverCallRecordFor?: FindServerCallRecord
  /**
   * Seals reasoning for the way through the client and back: signed, encrypted and plain reasoning of the upstream then
   * returns to it unchanged, and to no other upstream. Without it the client gets what it can read, and sealed reasoning
   * survives only where both wires are the same.
   */
  readonly seal?: Seal
  /** Reasoning is sealed also where both wires are the same, because several upstreams speak the wire. */
  readonly sealsOwnWire?: boolean
  /**
   * You send the requests for summaries that clients ask for and the upstream does not make (`compaction` of the
   * exchange). Needs `seal`.
   */
  readonly compacts?: boolean
  /** All bodies come from `JSON.parse`, so that they need not be checked for cycles, BigInts and holes. */
  readonly parsed?: boolean
  /** The id that the client's answer gets instead of the upstream's. */
  readonly answerId?: string
}

/** Sources of ids and time, for answers to which the upstream gives none. */
export interface IdSource {
  readonly newId: (prefix: string) => string
  /** Seconds since 1970. */
  readonly now: () => number
}

const known: KnownOptions<ExchangeOptions & IdSource> = {
  from: true,
  to: true,
  upstream: true,
  pairing: true,
  media: true,
  limits: true,
  tools: true,
  serverCallRecordFor: true,
  answerId: true,
  parsed: true,
  seal: true,
  sealsOwnWire: true,
  compacts: true,
  newId: true,
  now: true,
  ...toolOptionNames,
}

const limitNames: KnownOptions<StreamLimits> = {
  event: true,
  nodes: true,
  stream: true,
  parts: true,
}

/** Throws a `TypeError` for options that are missing, misspelt or wrong. The wires are checked where they are resolved. */
export function checkExchangeOptions(options: unknown): void {
  if (!isObject(options)) {
    throw new TypeError(
      `createExchange needs an object with the options "from" and "to"; got ${show(options)}.`,
    )
  }
  refuseUnknownOptions('createExchange', options, known)
  refuseUnknownOptions('"limits" of createExchange', options.limits, limitNames)
}

/** Both ends of an exchange and what converts between them. */
export interface Endpoints {
  readonly client: WireConversation
  readonly upstream: WireConversation
  readonly ids: IdSource
  readonly options: Omit<ExchangeOptions, 'from' | 'to'>
  /** For all adaptations of the exchange's requests. */
  readonly conversion: ConversionContext
}
