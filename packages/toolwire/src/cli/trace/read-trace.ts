/**
 * Reads the traces of a gateway. It may be another version, so fields that are missing or of the wrong type are left out.
 */
import type { Diagnostic } from '@toolwire/core'
import { severities } from '@toolwire/core/diagnostics'
import { isObject, type JsonObject } from '@toolwire/core/json'
import type { Trace, TracePart, TraceSummary, TraceView } from '../../telemetry/traces/trace-document.ts'
import { viewNames } from './show.ts'

const texts = [
  'target',
  'wire',
  'upstream',
  'upstream_wire',
  'model',
  'upstream_model',
  'finish',
  'response_id',
  'failure',
] as const
const numbers = [
  'status',
  'first_byte_ms',
  'total_ms',
  'overhead_ms',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'reasoning_tokens',
  'cost_usd',
  'rounds',
] as const

/** `undefined` when it is not a list of traces. */
export function readTraceList(value: unknown): TraceSummary[] | undefined {
  if (!isObject(value) || !Array.isArray(value.data)) return undefined
  return value.data.filter(isObject).map(readSummary)
}

/** As many as a gateway usually holds. */
export const mostTraces = 1000

/** Of a list with the newest first. A stray request, or one for the list of models, does not hide what was said before it. */
export function lastExchange(list: readonly TraceSummary[]): TraceSummary | undefined {
  return list.find(({ model }) => model !== undefined) ?? list[0]
}

/** `undefined` when it is not a trace. */
export function readTrace(value: unknown): Trace | undefined {
  if (!isObject(value) || !isObject(value.summary)) return undefined
  const { summary, failure, views } = value
  return {
    summary: readSummary(summary),
    ...(isObject(failure) && { failure: { code: textOf(failure.code), message: textOf(failure.message) } }),
    client_calls: listOf(value.client_calls).filter(name => typeof name === 'string'),
    tool_runs: listOf(value.tool_runs)
      .filter(isObject)
      .map(run => ({
        name: textOf(run.name),
        call_id: textOf(run.call_id),
        status: textOf(run.status),
        duration_ms: numberOf(run.duration_ms),
      })),
    losses: listOf(value.losses).filter(isObject).flatMap(readDiagnostic),
    views: Object.fromEntries(
      viewNames.flatMap(name => {
        const view = isObject(views) ? views[name] : undefined
        return isObject(view) ? [[name, readView(view)]] : []
      }),
    ),
  }
}

function readSummary(value: JsonObject): TraceSummary {
  const known: Record<string, unknown> = {}
  for (const key of texts) if (typeof value[key] === 'string') known[key] = value[key]
  for (const key of numbers) if (typeof value[key] === 'number') known[key] = value[key]
  return {
    time: textOf(value.time),
    id: textOf(value.id),
    route: textOf(value.route),
    // Each was looked at above.
    ...(known as Partial<TraceSummary>),
    ...(value.streamed === true && { streamed: true }),
    client_calls: numberOf(value.client_calls),
    tool_runs: numberOf(value.tool_runs),
    tool_failures: numberOf(value.tool_failures),
    losses: numberOf(value.losses),
    retries: numberOf(value.retries),
    abandoned: value.abandoned === true,
    state: value.state === 'running' ? 'running' : 'ended',
  }
}

function readDiagnostic({ code, severity, path, message }: JsonObject): Diagnostic[] {
  if (!isCode(code)) return []
  return [
    {
      code,
      severity: severity === 'error' || severity === 'info' ? severity : 'warning',
      path: listOf(path).filter(step => typeof step === 'string' || typeof step === 'number'),
      message: textOf(message),
    },
  ]
}

function isCode(code: unknown): code is Diagnostic['code'] {
  return typeof code === 'string' && Object.hasOwn(severities, code)
}

function readView({ parts, omitted }: JsonObject): TraceView {
  return {
    parts: listOf(parts)
      .filter(isObject)
      .map(
        ({ line, headers, text, size, cut, at_ms: at, end_ms: end }): TracePart => ({
          ...(typeof line === 'string' && { line }),
          ...(isObject(headers) && { headers: readHeaders(headers) }),
          text: textOf(text),
          size: numberOf(size),
          cut: cut === true,
          ...(typeof at === 'number' && { at_ms: at }),
          ...(typeof end === 'number' && { end_ms: end }),
        }),
      ),
    omitted: numberOf(omitted),
  }
}

function readHeaders(headers: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value)]))
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
