/** A trace as JSON: what `GET /toolwire/traces` returns, and what `toolwire trace` reads. */
import type { Diagnostic } from '@toolwire/core'
import type { ExchangeRecord } from './exchange-record.ts'
import type { Masker } from './mask-secrets.ts'
import { maskedStart, maskHeader, maskLine } from './mask-secrets.ts'
import type { ExchangeFacts, ViewHead, ViewName } from './observer.ts'
import type { ViewRecorder } from './view-recorder.ts'

export interface TraceSummary extends ExchangeRecord {
  readonly state: 'running' | 'ended'
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
  }[]
  readonly losses: readonly Diagnostic[]
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
}

export interface TraceView {
  /** One for each request to the upstream. */
  readonly parts: readonly TracePart[]
  /** Parts of which nothing was stored. */
  readonly omitted: number
}

export interface Trace extends TraceDetail {
  readonly summary: TraceSummary
  readonly views: { readonly [name in ViewName]?: TraceView }
}

const maxLosses = 200
const maxTools = 200
const maxMessageLength = 2000
const maxNameLength = 200
const maxPathLength = 40

export type DetailFacts = Pick<ExchangeFacts, 'failure' | 'clientCalls' | 'toolRuns' | 'losses'>

/** Most exchanges have nothing to put into a detail. */
export function hasDetail({ failure, clientCalls, toolRuns, losses }: DetailFacts): boolean {
  return failure !== undefined || [clientCalls, toolRuns, losses].some(list => (list?.length ?? 0) > 0)
}

/** Bounded, however much there was. */
export function detailOf(facts: DetailFacts, masker: Masker): TraceDetail {
  const { failure, clientCalls = [], toolRuns = [], losses = [] } = facts
  const short = (text: string, length = maxNameLength): string => maskedStart(text, length, masker)
  return {
    ...(failure !== undefined && {
      failure: { code: short(failure.code), message: short(failure.message, maxMessageLength) },
    }),
    client_calls: clientCalls.slice(0, maxTools).map(name => short(name)),
    tool_runs: toolRuns.slice(0, maxTools).map(({ name, callId, status, durationMs }) => ({
      name: short(name),
      call_id: short(callId),
      status,
      duration_ms: durationMs,
    })),
    losses: losses.slice(0, maxLosses).map(({ code, severity, path, message }) => ({
      code,
      severity,
      path: path.slice(0, maxPathLength).map(step => (typeof step === 'string' ? short(step) : step)),
      message: short(message, maxMessageLength),
    })),
  }
}

/** Messages may quote what was sent or answered, and paths name what was in it; codes and counts do not. */
export function withoutWords({ failure, losses, ...rest }: TraceDetail): TraceDetail {
  return {
    ...rest,
    ...(failure !== undefined && { failure: { code: failure.code, message: '' } }),
    losses: losses.map(({ code, severity }) => ({ code, severity, path: [], message: '' })),
  }
}

export function viewOf(recorder: ViewRecorder, masker: Masker): TraceView {
  const parts = recorder.parts().map(({ head, size, bytes }): TracePart => {
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
    }
  })
  return { parts, omitted: recorder.omitted }
}

function maskHead({ line, headers }: ViewHead, masker: Masker): ViewHead {
  return {
    line: maskLine(line, masker),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, maskHeader(name, value, masker)]),
    ),
  }
}
