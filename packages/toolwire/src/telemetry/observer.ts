/** What the gateway tells of each exchange to whoever watches: logs, metrics, spans and traces. */
import type { Diagnostic } from '@toolwire/core'

/** The four raw views of an exchange. */
export type ViewName = 'client-request' | 'upstream-request' | 'upstream-answer' | 'client-answer'

export interface ToolRun {
  readonly name: string
  readonly callId: string
  readonly status: string
  /** By the gateway's clock. */
  readonly startedAt?: number
  readonly durationMs: number
}

interface TokenUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly reasoning?: number
}

/** Facts become known one after another; times are milliseconds. */
export interface ExchangeFacts {
  /** The request's id, also sent as `x-request-id`. */
  id: string
  /** The route as a template, such as `POST /v1/responses`; never a raw path. */
  route: string
  /** Method and path as they were sent, without the query, and cut. */
  target?: string
  /** When it began: milliseconds since 1970, and by the gateway's own clock, from which lengths are measured. */
  at: number
  startedAt: number
  /** Whose request it is, once known. */
  owner?: string
  wire?: string
  model?: string
  upstream?: string
  upstreamWire?: string
  upstreamModel?: string
  streamed?: boolean
  status?: number
  /** From the start to the first byte for the client. */
  firstByteMs?: number
  totalMs?: number
  /** What of that the gateway itself took: all but waiting for the client, the upstream and tools. */
  overheadMs?: number
  usage?: TokenUsage
  finish?: string
  responseId?: string
  /** Names of the calls given to the client. */
  clientCalls?: readonly string[]
  /** Calls the gateway ran itself. */
  toolRuns?: readonly ToolRun[]
  losses?: readonly Diagnostic[]
  /** Attempts at the upstream beyond the first of each round. */
  retries?: number
  rounds?: number
  failure?: { readonly code: string; readonly message: string }
  /** What a failure looked like from inside, with the place in the code. For the log only: no client sees it. */
  internal?: string
  /** The client went away before the end. */
  abandoned?: boolean
}

export interface Observation {
  readonly facts: ExchangeFacts
  /** Bytes as they pass. Heads come with their headers, keys already masked. Called only while `wantsViews`. */
  view(name: ViewName, chunk: string | Uint8Array): void
  viewHead(name: ViewName, head: { readonly line: string; readonly headers: Record<string, string> }): void
  readonly wantsViews: boolean
  /** Nobody looks at the facts, so that none need be found out for their own sake. */
  readonly isNoop?: boolean
  /** The exchange is over; all facts are known. */
  end(): void
}

export interface Observer {
  begin(facts: ExchangeFacts): Observation
}

/** What an answer tells of itself, read whole or as a stream. */
interface ToldAnswer {
  readonly calls: readonly string[]
  readonly finish: string | undefined
  readonly usage?: TokenUsage | undefined
}

export function noteAnswer(facts: ExchangeFacts, { calls, finish, usage }: ToldAnswer): void {
  facts.clientCalls = calls
  if (finish !== undefined) facts.finish = finish
  if (usage !== undefined) facts.usage = usage
}

const nothing = (): void => {}

/** Nobody watches. */
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

/** The exchanges of the recent past. What it gives is plain JSON, keys masked. */
export interface TraceReader {
  /** The newest first; of one owner, or of all. */
  list(limit: number, owner?: string): readonly unknown[]
  get(id: string, owner?: string): unknown
}
