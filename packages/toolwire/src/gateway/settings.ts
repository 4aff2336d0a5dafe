/** The options of a gateway, and their defaults. */
import type { ExchangeOptions, Profile, ServerTool, ToolSpec, WireDefinition } from '@toolwire/core'
import type { Price } from '@toolwire/core/presets'
import type { Clock } from '../platform/clock.ts'
import { heapShare } from '../platform/heap.ts'
import type { Store } from '../store/store.ts'
import type { Observer, TraceReader, UsageReader } from '../telemetry/observer.ts'
import type { Transport } from './http/contract.ts'
import type { InspectorOptions } from './inspector/inspector.ts'
import type { WithoutStore } from './tenants/key-counters.ts'

/** How long a gateway waits for an upstream, and how often it pings a client. */
export interface Timeouts {
  readonly connectMs: number
  /** From sending the request to the head of the answer. */
  readonly firstByteMs: number
  /** The longest time within an answer in which nothing at all comes. */
  readonly idleMs: number
  /** How long comments and pings alone keep a stream alive; not more than `idleMs`: they do not. */
  readonly pingMs: number
  readonly totalMs: number
}

type ConversionOptions = Pick<
  ExchangeOptions,
  'strict' | 'hostedTools' | 'unknownTools' | 'misplacedStrict' | 'pairing' | 'media'
>

/** A model server: its address, wire, key, models, and what it accepts. */
export interface Upstream extends ConversionOptions {
  readonly name: string
  /** The name of a built-in wire, or of one in the gateway's `wires`. */
  readonly wire: string
  /** All the wires that it speaks, if there are several; `wire` is the one it prefers. */
  readonly speaks?: readonly string[]
  /** The address up to and including the version, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  /** The addresses of wires that are served elsewhere, by their names. */
  readonly baseUrls?: Readonly<Record<string, string>>
  /** Whose server it is, by a name in `@toolwire/core/presets`; `none` if that must not be told from its address. */
  readonly preset?: string
  readonly apiKey?: string
  /** The flags of `anthropic-beta` that it knows. Others are left out, together with the fields that belong to them. */
  readonly flags?: readonly string[]
  /** Forward the client's own key. Only where the client's key is meant for this upstream. */
  readonly forwardKey?: boolean
  /** Names of models: exact, or with `*` at the end for a prefix. None: any model. */
  readonly models?: readonly string[]
  /**
   * The client's name of a model and the upstream's. A `*` at the end of the first stands for any rest of a name, and at
   * the end of the second for what that was.
   */
  readonly rename?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly profile?: Partial<Profile>
  readonly timeouts?: Partial<Timeouts>
  /** The most retries of a request; there are none once part of its answer has reached the client. */
  readonly retries?: number
  /** Of several upstreams that list one model, those with the lowest number are asked first. Default: their place in the list. */
  readonly order?: number
  /** Which share of the conversations it gets, beside others of the same order. Default 1. */
  readonly weight?: number
  /**
   * After which failures the next upstream that lists the model is asked, as long as the client has got nothing: `connect`,
   * `reset` (the connection broke after the request was sent, so that it may be answered twice), `timeout`, a status such
   * as `429`, or `4xx`, `5xx`. Default `connect`, `timeout`, `408`, `429`, `5xx`.
   */
  readonly fallbackOn?: readonly string[]
  /** Who stores responses and conversations that requests refer to: the upstream itself, or the gateway. */
  readonly state?: 'upstream' | 'gateway'
  /**
   * With several keys: what becomes of a request that refers to what the upstream holds and no client was given or made
   * through this gateway. By default responses, conversations, items, containers and audio are refused as if they did not
   * exist; files, vector stores, prompts, skills and voices pass, because an operator may have made them.
   */
  readonly unknownIds?: 'refuse' | 'pass'
  /**
   * Paths below the version that no wire here has, by their first segments (`embeddings`, `files`), or `*` for all: requests
   * for them pass to it, unread. Default: none.
   */
  readonly otherPaths?: readonly string[]
  /** Why it cannot be used. A request for one of its models is refused with this; other upstreams serve the rest. */
  readonly disabled?: string
  /** How bytes get there; the network when left out. */
  readonly transport?: Transport
}

/** A tool that the gateway runs. With a `server` it counts as a tool of that MCP server, and clients see its calls. */
export type GatewayServerTool = ToolSpec & Pick<ServerTool, 'server'>

/** How much a gateway takes before it refuses; `docs/limits.md` explains each. */
export interface Limits {
  readonly bodyBytes: number
  /** How deep JSON may be nested, in requests and answers. */
  readonly depth: number
  /** How many values JSON may have, in a request or a whole answer. */
  readonly nodes: number
  /** Up to so many bytes, values the event loop itself parses and converts JSON; a worker thread does the rest. */
  readonly inlineBytes: number
  readonly inlineNodes: number
  /** Where there are workers and none can take it, up to so many bytes and values are converted on the event loop. */
  readonly loopBytes: number
  readonly loopNodes: number
  /** How many values the tools and settings of a longer request may have, which the event loop has to know too. */
  readonly headNodes: number
  /** How many worker threads there may be. 0: everything is done on the event loop. */
  readonly workers: number
  /** How many items one request may add to a conversation. */
  readonly items: number
  /** Of an answer that is not streamed. */
  readonly answerBytes: number
  /** Of one event of a stream, in characters; twice as many where it passes unchanged. */
  readonly eventLength: number
  /** How many values one event of a stream may have. */
  readonly eventNodes: number
  readonly streamLength: number
  /** The most requests to an upstream for one request of the client, when the gateway runs tools. */
  readonly rounds: number
  /** How long a client may read nothing of its answer before the connection is cut. 0: no limit. */
  readonly clientStallMs: number
  /** The memory for everything in flight, and the part of it that one key may take. */
  readonly memoryBytes: number
  readonly keyMemoryBytes: number
  /** Requests in flight, of all keys and of one. */
  readonly exchanges: number
  readonly keyExchanges: number
  /** How many requests may wait for others to end, and for how long. */
  readonly queue: number
  readonly queueMs: number
  /** Background responses that are being worked on, of all keys and of one. */
  readonly background: number
  readonly keyBackground: number
  /** How long a WebSocket may be open. 0: no limit. */
  readonly socketMs: number
  /** On one WebSocket: responses at the same time, and messages that wait for others on their lanes. */
  readonly socketLanes: number
  readonly socketQueue: number
  /** How much one WebSocket remembers of responses that are stored nowhere else. */
  readonly socketHistoryBytes: number
}

/** A client's key with a name, what it may use, and how much. What is left out is not limited. */
export interface Tenant {
  readonly name: string
  /** None: the rules are for every key that has no entry of its own, each by itself. */
  readonly key?: string
  /** Names of models as clients give them: exact, or with `*` at the end for a prefix. */
  readonly models?: readonly string[]
  /** Names of upstreams, in the same way. */
  readonly upstreams?: readonly string[]
  readonly requestsPerMinute?: number
  /** Of requests and answers together. */
  readonly tokensPerMinute?: number
  /** Days begin at midnight in UTC. */
  readonly tokensPerDay?: number
  readonly dollarsPerDay?: number
}

/** Of a server that listens on a port. */
export interface ConnectionLimits {
  readonly connections: number
  readonly addressConnections: number
}

/** When a request is refused over what its conversion loses: never, over errors, or over any loss. */
export type LossPolicy = 'allow' | 'errors' | 'strict'

export type SocketMode = 'on' | 'compressed' | 'off'

/** All settings of a gateway. Only `upstreams` is required. */
export interface GatewayOptions {
  /** Wires that are spoken beside the built-in ones, made with `defineWire`. */
  readonly wires?: readonly WireDefinition[]
  readonly upstreams: readonly Upstream[]
  /** Every request is for this model, whatever it names. */
  readonly model?: string | undefined
  readonly store?: Store
  /** How long stored responses live. */
  readonly ttlMs?: number
  /** A client must present one of these keys. None: every client is admitted. */
  readonly keys?: readonly string[]
  /** Keys that are let in too, each with rules of its own. */
  readonly tenants?: readonly Tenant[]
  /** What tokens cost, before the prices that are known: for budgets in money. */
  readonly prices?: readonly Price[]
  /**
   * When the store does not answer, the limits of keys hold on each gateway by itself (`local`, the default), or requests
   * of limited keys are refused.
   */
  readonly limitsWithoutStore?: WithoutStore
  /**
   * Keys for those who run the gateway: they open its metrics, and the traces of all clients, but no model. None: every
   * client that is admitted sees the metrics and, where keys are required, the traces of its own key.
   */
  readonly operatorKeys?: readonly string[]
  /**
   * What the keys are derived from with which clients carry the reasoning of upstreams: the first one seals, the others
   * open what was sealed before. None: a key in the store, which all gateways on the store share.
   */
  readonly sealKeys?: readonly string[]
  /** Values of `Host` that are answered, without the port. `*` for any. */
  readonly allowedHosts?: readonly string[]
  /** Values of `Origin` that are answered, for pages and extensions. */
  readonly allowedOrigins?: readonly string[]
  readonly limits?: Partial<Limits>
  readonly losses?: LossPolicy
  /** Whether clients of Responses may connect by WebSocket, and whether messages are then compressed. Default: "on". */
  readonly webSockets?: SocketMode
  readonly heartbeatMs?: number
  /**
   * Work in short turns of the event loop, as with several keys, so that new connections are accepted soon however many are
   * busy. Default: only with several keys.
   */
  readonly shortTurns?: boolean
  /** Tools that the gateway runs itself. */
  readonly tools?: Iterable<GatewayServerTool>
  /**
   * Handlers of hosted tools, each named by the type it stands for. A handler is used only where a client declares that
   * type, and the upstream's `hostedTools` does not mention the type.
   */
  readonly hosted?: readonly GatewayServerTool[]
  readonly toolTimeoutMs?: number | undefined
  readonly observer?: Observer
  readonly metrics?: () => string | Promise<string>
  readonly traces?: TraceReader
  readonly usage?: UsageReader
  /** The page at `/` that shows the traces. None: there is no page. */
  readonly inspector?: InspectorOptions
  readonly clock?: Clock
  readonly newId?: (prefix: string) => string
  readonly random?: () => number
  readonly version?: string
  /** The compiled code of a worker thread, for those who bundle the gateway: `dist/node/worker.js` of this package. */
  readonly workerFile?: URL
  /** The addresses of modules that export `wires`, or a configuration with them, so that worker threads have them too. */
  readonly wireModules?: readonly string[]
}

export const defaultTimeouts: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 300_000,
  idleMs: 300_000,
  pingMs: 600_000,
  totalMs: 3_600_000,
}

/** The limits that do not depend on the machine or on how many keys there are. */
export const defaultLimits: Omit<
  Limits,
  'memoryBytes' | 'keyMemoryBytes' | 'keyExchanges' | 'keyBackground'
> = {
  bodyBytes: 64 * 1024 * 1024,
  depth: 512,
  nodes: 1_000_000,
  inlineBytes: 512 * 1024,
  inlineNodes: 5_000,
  loopBytes: 2 * 1024 * 1024,
  loopNodes: 15_000,
  headNodes: 15_000,
  workers: 2,
  items: 1000,
  answerBytes: 128 * 1024 * 1024,
  eventLength: 4 * 1024 * 1024,
  eventNodes: 100_000,
  streamLength: 1024 * 1024 * 1024,
  rounds: 16,
  clientStallMs: 600_000,
  exchanges: 2_000,
  queue: 500,
  queueMs: 2_000,
  background: 1_000,
  socketMs: 3_600_000,
  socketLanes: 32,
  socketQueue: 256,
  socketHistoryBytes: 64 * 1024 * 1024,
}

/** A proxy in front of the gateway is one address. */
export const defaultConnections: ConnectionLimits = { connections: 10_000, addressConnections: 8_000 }

/** One key alone may use everything; among several none may use more than a part. */
export function resolveLimits(given: Partial<Limits>, keyCount: number): Limits {
  const limits = { ...defaultLimits, memoryBytes: heapShare(0.5), ...given }
  const partOf = (all: number, part: number): number => (keyCount > 1 ? Math.ceil(all * part) : all)
  return {
    keyMemoryBytes: partOf(limits.memoryBytes, 0.5),
    keyExchanges: partOf(limits.exchanges, 0.5),
    keyBackground: partOf(limits.background, 0.25),
    ...limits,
  }
}

/** Of the texts that the keys of the seal are derived from. */
export const shortestSealKey = 32

export const defaultTtlMs: number = 30 * 24 * 3_600_000
export const defaultHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
