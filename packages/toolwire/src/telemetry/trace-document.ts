/** A trace as JSON: what `GET /toolwire/traces` gives, and what `toolwire trace` reads. */
import type { Diagnostic } from '@toolwire/core'
import type { ExchangeRecord } from './exchange-record.ts'
import type { Masker } from './mask-secrets.ts'
import { maskedStart, maskLine } from './mask-secrets.ts'
import type { ExchangeFacts, ViewName } from './observer.ts'
import type { ViewRecorder } from './view-recorder.ts'

export interface TraceSummary extends ExchangeRecord {
  readonly state: 'running' | 'ended'
}

/** Lists are cut; `summary` has the whole counts. */
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
  /** Whether the text is only a beginning. It then ends with a line that says so. */
  readonly cut: boolean
}

export interface TraceView {
  /** One for each time the upstream was asked. */
  readonly parts: readonly TracePart[]
  /** Parts of which nothing was kept. */
  readonly omitted: number
}

export interface Trace extends TraceDetail {
  readonly summary: TraceSummary
  readonly views: { readonly [name in ViewName]?: TraceView }
}

const mostLosses = 200
const mostTools = 200
const longestMessage = 2000
const longestName = 200
const deepestPath = 40

type DetailFacts = Pick<ExchangeFacts, 'failure' | 'clientCalls' | 'toolRuns' | 'losses'>

export function summaryOf(record: ExchangeRecord, state: TraceSummary['state']): TraceSummary {
  return { ...record, state }
}

/** Most exchanges have none of what a detail tells. */
export function hasDetail({ failure, clientCalls, toolRuns, losses }: DetailFacts): boolean {
  return failure !== undefined || [clientCalls, toolRuns, losses].some(list => (list?.length ?? 0) > 0)
}

/** However much there was, this stays small. */
export function detailOf(facts: DetailFacts, masker: Masker): TraceDetail {
  const { failure, clientCalls = [], toolRuns = [], losses = [] } = facts
  const short = (text: string, length = longestName): string => maskedStart(text, length, masker)
  return {
    ...(failure !== undefined && {
      failure: { code: short(failure.code), message: short(failure.message, longestMessage) },
    }),
    client_calls: clientCalls.slice(0, mostTools).map(name => short(name)),
    tool_runs: toolRuns.slice(0, mostTools).map(({ name, callId, status, durationMs }) => ({
      name: short(name),
      call_id: short(callId),
      status,
      duration_ms: durationMs,
    })),
    losses: losses.slice(0, mostLosses).map(({ code, severity, path, message }) => ({
      code,
      severity,
      path: path.slice(0, deepestPath).map(step => (typeof step === 'string' ? short(step) : step)),
      message: short(message, longestMessage),
    })),
  }
}

export function viewOf(recorder: ViewRecorder, masker: Masker): TraceView {
  const parts = recorder.parts().map(({ head, size, kept }): TracePart => {
    const cut = kept.byteLength < size
    // With `stream` the decoder keeps back half a character at the end instead of showing it as a broken one.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept, { stream: cut })
    return {
      ...(head !== undefined && { line: maskLine(head.line, masker), headers: masked(head.headers, masker) }),
      text: cut
        ? `${masker.cutText(text)}\n… cut: ${kept.byteLength} of ${size} bytes are kept`
        : masker.text(text),
      size,
      cut,
    }
  })
  return { parts, omitted: recorder.omitted() }
}

function masked(headers: Readonly<Record<string, string>>, masker: Masker): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, masker.text(value)]))
}
