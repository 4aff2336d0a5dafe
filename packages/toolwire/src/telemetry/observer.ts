/** The contract between the gateway and those who observe exchanges: logs, metrics, spans and traces. */
import type { Diagnostic } from '@toolwire/core'

/** The four raw views of an exchange: request and answer, on the side of the client and of the upstream. */
export type ViewName = 'client-request' | 'upstream-request' | 'upstream-answer' | 'client-answer'

export interface ToolRun {
  readonly name: string
  readonly callId: string
  readonly status: string
  /** On the gateway's clock. */
  readonly startedAt?: number
  readonly durationMs: number
}

/** One request to an upstream, until the head of its answer or until it failed. Times are on the gateway's clock. */
export interface UpstreamAttempt {
  readonly upstream: string
  readonly round: number
  readonly startedAt: number
  /** When there was a connection to send it on, where the transport knows. */
  connectedAt?: number
  endedAt?: number
  status?: number
  /** Why there was no answer. */
  failure?: string
}

interface TokenUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/** What is known of an exchange. Fields are set as they become known; durations are in milliseconds. */
export interface ExchangeFacts {
  /** The request's id, also sent as `x-request-id`. */
  id: string
  /** The route as a template, such as `POST /v1/responses`; never a raw path. */
  route: string
  /** Method and path as received, without the query, and clipped. */
  target?: string
  /** The start: in milliseconds since 1970, and on the gateway's monotonic clock, which durations are measured with. */
  at: number
  startedAt: number
  /** Who sent the request. */
  owner?: string
  /** The name of its key, where it has one. */
  tenant?: string
  /** The program that sent it, by the name in its `User-Agent`. */
  client?: string
  /** The lane of a socket that it came on, where that has a name. */
  lane?: string
  wire?: string
  model?: string
  upstream?: string
  upstreamWire?: string
  /** Who defined the upstream's wire. */
  provider?: string | undefined
  upstreamModel?: string
  streamed?: boolean
  status?: number
  /** From the start to the first byte for the client. */
  firstByteMs?: number
  totalMs?: number
  /** The gateway's own share: without waiting for the client, the upstream and tools. */
  overheadMs?: number
  usage?: TokenUsage
  /** In US dollars, where the price is known. */
  cost?: number
  /** What of it was paid for the input, at the rates of what was cached and what was not. */
  inputCost?: number
  /** What of that was paid for what came from a cache. */
  cachedCost?: number
  finish?: string
  responseId?: string
  /** Names of the tool calls returned to the client. */
  clientCalls?: readonly string[]
  /** Tool calls that the gateway ran itself. */
  toolRuns?: readonly ToolRun[]
  losses?: readonly Diagnostic[]
  /** What was adapted without a loss. */
  notes?: readonly Diagnostic[]
  /** Attempts at the upstream beyond the first of each round. */
  retries?: number
  /** Every time that an upstream was asked; noted only for those who want views. */
  attempts?: UpstreamAttempt[]
  rounds?: number
  /** Upstreams that failed before another one was asked, and why. */
  failedUpstreams?: readonly string[]
  failure?: { readonly code: string; readonly message: string }
  /** The stack of an internal failure. For the log only; no client receives it. */
  internal?: string
  /** The client disconnected before the end, or cancelled the response. */
  abandoned?: boolean
  /** The record of the exchange as JSON, once it has ended and somebody has needed it: see `recordText`. */
  recordText?: string
}

/** The first line of a request or answer and its headers. It must not be changed afterwards. */
export interface ViewHead {
  readonly line: string
  /** Without keys. They may be masked only when they are read. */
  readonly headers: Readonly<Record<string, string>>
  /** All of it as `headText` writes it, where that is cheaper than to read the headers. */
  readonly text?: string
}

/** One exchange as an observer sees it, from its beginning to its end. */
export interface Observation {
  readonly facts: ExchangeFacts
  /**
   * Receives bytes as they pass, in one piece what came at one time. Bytes must not be changed. Whoever keeps those that
   * are lent copies them, because their memory is used again. `same`: what passed last of the upstream's answer, where a text
   * has its bytes; their memory may have been used again by now. Called only while `wantsViews`, as is `viewHead`.
   */
  view(name: ViewName, chunk: string | Uint8Array, isLent?: boolean, same?: Uint8Array): void
  viewHead(name: ViewName, head: ViewHead): void
  readonly wantsViews: boolean
  /** Nobody reads the facts, so the gateway need not collect them. */
  readonly isNoop?: boolean
  /** Work for the facts that nobody but observers reads. It may be done after `end`; without this method it is done at once. */
  later?(work: () => void): void
  /** The exchange has ended and all facts are known, but for those that later work adds. */
  end(): void
}

/** Who is told of every exchange: a log, metrics, spans, traces. */
export interface Observer {
  begin(facts: ExchangeFacts): Observation
}

/** The same for whoever wants no views. Nothing has to be made for it when an exchange begins. */
export interface FactsObserver {
  began?(facts: ExchangeFacts): void
  /** The exchange has ended and all facts are known. Called once. */
  ended(facts: ExchangeFacts): void
  /** All that have ended were told of. */
  flush?(): void
}

/** What an answer, streamed or not, reports about itself. */
interface AnswerFacts {
  readonly calls: readonly string[]
  readonly finish: string | undefined
  readonly usage?: TokenUsage | undefined
}

export function noteAnswer(facts: ExchangeFacts, { calls, finish, usage }: AnswerFacts): void {
  facts.clientCalls = calls
  if (finish !== undefined) facts.finish = finish
  if (usage !== undefined) facts.usage = usage
}

/**
 * Health checks, scrapes, reads of traces and preflights. They are frequent, are not exchanges, and must not displace
 * exchanges in a log or a list of traces. A path that does not exist is different: the client made a mistake.
 */
export function isHousekeeping({ route, failure }: ExchangeFacts): boolean {
  return route === 'unknown' ? failure === undefined : !route.includes(' /v1/')
}

const nothing = (): void => {}

export const noopObserver: Observer = {
  begin: facts => ({
    facts,
    wantsViews: false,
    isNoop: true,
    view: nothing,
    viewHead: nothing,
    end: nothing,
  }),
}

/** Reads what was used since a time in milliseconds since 1970; of one owner, or of all. */
export type UsageReader = (since: number, owner?: string) => Promise<readonly unknown[]>

/** Reads recent exchanges. Both methods return plain JSON with keys masked, or promise it: it may be elsewhere. */
export interface TraceReader {
  /** The newest first; of one owner, or of all. */
  list(limit: number, owner?: string): readonly unknown[] | Promise<readonly unknown[]>
  /** By the id of the request or of its answer; also as a promise. */
  get(id: string, owner?: string): unknown
  /** What is new from now on, for as long as somebody watches. */
  watch?(): TraceWatch
}

export interface TraceWatch {
  /** The exchanges that began, grew or ended since it was last asked; of one owner, or of all. */
  take(owner?: string): readonly unknown[] | Promise<readonly unknown[]>
  close(): void
}
