/** A trace as JSON: what `GET /toolwire/traces` returns, and what `toolwire trace` reads. */
import type { Diagnostic } from '@toolwire/core'
import type { ExchangeRecord } from '../exchange-record.ts'
import type { Masker } from '../mask-secrets.ts'
import { maskedStart, maskHeader, maskLine } from '../mask-secrets.ts'
import type { ExchangeFacts, UpstreamAttempt, ViewHead, ViewName } from '../observer.ts'
import { eventTimes } from './event-times.ts'
import type { RecordedPart } from './view-journal.ts'

export interface TraceSummary extends ExchangeRecord {
  readonly state: 'running' | 'ended'
  /** The program that sent the request, by the name in its `User-Agent`. */
  readonly client?: string
  /** What of `cost_usd` was paid for the input. */
  readonly input_cost_usd?: number
  /** What of `input_cost_usd` was paid for what came from a cache. */
  readonly cached_cost_usd?: number
  /** The lane of a WebSocket that it came on, by its `stream_id`. */
  readonly lane?: string
  /** The same for all exchanges of one conversation; absent where nothing was kept of the request. */
  readonly conversation?: string
  /** Within the conversation, from 1: how often the user had spoken. */
  readonly turn?: number
  /** The exchange that it goes on from: whose answer it continues, or whose history it repeats. */
  readonly follows?: string
  /** The answer that it continues, where this process does not know whose answer that is. */
  readonly continues?: string
  /** The beginning of what the user said last. */
  readonly prompt?: string
  /** Of the client’s answer, so far. */
  readonly answer_bytes?: number
  /** The tools that the model called, or that the gateway ran; each name once, and not all of many. */
  readonly tools?: readonly string[]
  /** How often each code is among the losses. */
  readonly loss_codes?: Readonly<Record<string, number>>
}

/** Lists are cut; `summary` has the full counts. */
export interface TraceDetail {
  readonly failure?: { readonly code: string; readonly message: string }
  readonly client_calls: readonly string[]
  readonly tool_runs: readonly {
    readonly name: string
    readonly call_id: string
    readonly status: string
    readonly duration_ms: number
    /** Since the start of the exchange. */
    readonly at_ms?: number
  }[]
  readonly losses: readonly Diagnostic[]
  /** What was adapted on the way without a loss. */
  readonly notes?: readonly Diagnostic[]
}

/** One request to an upstream. Times are since the start of the exchange. */
export interface TraceAttempt {
  readonly upstream: string
  readonly round: number
  readonly at_ms: number
  /** When there was a connection to send it on, where that is known. */
  readonly connected_ms?: number
  /** When the head of the answer was there, or no hope of one. */
  readonly ended_ms?: number
  readonly status?: number
  /** Why there was no answer. */
  readonly failure?: string
}

export interface TracePart {
  /** The first line of a request, or the status of an answer. */
  readonly line?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly text: string
  /** In bytes, as it was on the wire. */
  readonly size: number
  /** Whether only the beginning of the text is here. Its last line then says so. */
  readonly cut: boolean
  /** When it began, since the start of the exchange. */
  readonly at_ms?: number
  /** When its last piece came or went, since the start of the exchange. */
  readonly end_ms?: number
  /** Of a stream: when each of its events was complete, since the start of the exchange. */
  readonly event_times_ms?: readonly number[]
}

export interface TraceView {
  /** One for each request to the upstream. */
  readonly parts: readonly TracePart[]
  /** Parts of which nothing was stored. */
  readonly omitted: number
}

export interface Trace extends TraceDetail {
  readonly summary: TraceSummary
  /** In their order: again after a failure, another upstream, another round. */
  readonly attempts?: readonly TraceAttempt[]
  readonly views: { readonly [name in ViewName]?: TraceView }
}

const maxLosses = 200
const maxTools = 200
const maxMessageLength = 2000
const maxNameLength = 200
const maxPathLength = 40

export type DetailFacts = {
  readonly [name in 'failure' | 'clientCalls' | 'toolRuns' | 'losses' | 'notes' | 'startedAt']?:
    | ExchangeFacts[name]
    | undefined
}

/** Bounded, however much there was. */
export function detailOf(facts: DetailFacts, masker: Masker): TraceDetail {
  const { failure, clientCalls = [], toolRuns = [], losses = [], notes = [], startedAt = 0 } = facts
  const short = (text: string, length = maxNameLength): string => maskedStart(text, length, masker)
  const shortOf = ({ code, severity, path, message }: Diagnostic): Diagnostic => ({
    code,
    severity,
    path: path.slice(0, maxPathLength).map(step => (typeof step === 'string' ? short(step) : step)),
    message: short(message, maxMessageLength),
  })
  return {
    ...(failure !== undefined && {
      failure: { code: short(failure.code), message: short(failure.message, maxMessageLength) },
    }),
    client_calls: clientCalls.slice(0, maxTools).map(name => short(name)),
    tool_runs: toolRuns.slice(0, maxTools).map(run => ({
      name: short(run.name),
      call_id: short(run.callId),
      status: run.status,
      duration_ms: run.durationMs,
      ...(run.startedAt !== undefined && { at_ms: roundTime(run.startedAt - startedAt) }),
    })),
    losses: losses.slice(0, maxLosses).map(shortOf),
    ...(notes.length > 0 && { notes: notes.slice(0, maxLosses).map(shortOf) }),
  }
}

export const maxAttempts = 500

export function attemptsOf(attempts: readonly UpstreamAttempt[], startedAt: number): readonly TraceAttempt[] {
  const since = (at: number): number => roundTime(at - startedAt)
  return attempts
    .slice(0, maxAttempts)
    .map(({ upstream, round, startedAt: at, connectedAt, endedAt, status, failure }) => ({
      upstream,
      round,
      at_ms: since(at),
      ...(connectedAt !== undefined && { connected_ms: since(connectedAt) }),
      ...(endedAt !== undefined && { ended_ms: since(endedAt) }),
      ...(status !== undefined && { status }),
      ...(failure !== undefined && { failure }),
    }))
}

/** Messages may quote what was sent or answered, and paths name what was in it; codes and counts do not. */
export function withoutWords({ failure, losses, notes, ...rest }: TraceDetail): TraceDetail {
  const bare = ({ code, severity }: Diagnostic): Diagnostic => ({ code, severity, path: [], message: '' })
  return {
    ...rest,
    ...(failure !== undefined && { failure: { code: failure.code, message: '' } }),
    losses: losses.map(bare),
    ...(notes !== undefined && { notes: notes.map(bare) }),
  }
}

/** What is kept of one view. */
interface KeptView {
  readonly parts: readonly RecordedPart[]
  readonly omitted: number
}

/** `startedAt`: the start of the exchange, on the clock of the parts. */
export function viewOf(kept: KeptView, masker: Masker, startedAt: number): TraceView {
  const parts = kept.parts.map(({ head, size, bytes, at, pieces, endedAt }): TracePart => {
    const cut = bytes.length < size
    // With `stream`, half a character at the end is left out instead of decoded to U+FFFD.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut })
    return {
      ...(head !== undefined && maskHead(head, masker)),
      text: cut
        ? `${masker.cutText(text)}\n… cut: ${bytes.length} of ${size} bytes are kept`
        : masker.text(text),
      size,
      cut,
      ...timesOf(bytes, pieces, at - startedAt),
      ...(endedAt !== undefined && { end_ms: roundTime(endedAt - startedAt) }),
    }
  })
  return { parts, omitted: kept.omitted }
}

function timesOf(
  bytes: Uint8Array,
  pieces: readonly number[],
  atMs: number,
): Pick<TracePart, 'at_ms' | 'end_ms' | 'event_times_ms'> {
  const times = eventTimes(bytes, pieces)
  return {
    at_ms: roundTime(atMs),
    end_ms: roundTime(atMs + (pieces.at(-1) ?? 0)),
    ...(times.length > 0 && { event_times_ms: times.map(time => roundTime(atMs + time)) }),
  }
}

function roundTime(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}

function maskHead({ line, headers }: ViewHead, masker: Masker): ViewHead {
  return {
    line: maskLine(line, masker),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, maskHeader(name, value, masker)]),
    ),
  }
}
