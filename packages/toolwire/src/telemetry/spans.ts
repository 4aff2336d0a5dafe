/**
 * OpenTelemetry spans: one for each exchange, with a child for each tool the gateway ran. They are created when the
 * exchange has ended and contain no content. Without an OpenTelemetry SDK in the process they do nothing.
 */
import type { Attributes, Context, Tracer } from '@opentelemetry/api'
import { recordOf } from './exchange-record.ts'
import type { ExchangeFacts, FactsObserver, ToolRun } from './observer.ts'

type Api = typeof import('@opentelemetry/api')

export interface SpansOptions {
  /** Default: a tracer of the registered SDK. */
  readonly tracer?: Tracer
  /** The version of that tracer. */
  readonly version?: string
}

/** Attributes of OpenTelemetry's conventions for generative AI. They still have the status "development". */
const genAi = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  errorType: 'error.type',
} as const

/** Loads `@opentelemetry/api` only now, so that it costs nothing unless spans are wanted. */
export async function createSpans({ tracer, version }: SpansOptions = {}): Promise<FactsObserver> {
  const api = await import('@opentelemetry/api')
  const running = new Map<ExchangeFacts, { readonly parent: Context; readonly begun: number }>()
  return {
    began(facts) {
      // A span that the surrounding server has open becomes the parent.
      running.set(facts, { parent: api.context.active(), begun: facts.startedAt })
    },
    ended(facts) {
      const { parent = api.context.active(), begun = facts.startedAt } = running.get(facts) ?? {}
      running.delete(facts)
      if (facts.wire === undefined) return
      // `startedAt` is moved once the client's request has been read, a little after the beginning.
      const start = facts.at + (facts.startedAt - begun)
      record({ api, tracer: tracer ?? api.trace.getTracer('toolwire', version), facts, parent, start })
    },
  }
}

interface Recording {
  readonly api: Api
  readonly tracer: Tracer
  readonly facts: ExchangeFacts
  readonly parent: Context
  /** Milliseconds since 1970. */
  readonly start: number
}

function record({ api, tracer, facts, parent, start }: Recording): void {
  const { SpanKind, SpanStatusCode, trace } = api
  const attributes = exchangeAttributes(facts)
  const span = tracer.startSpan(
    `chat ${attributes[genAi.requestModel] ?? ''}`.trimEnd(),
    { kind: SpanKind.CLIENT, startTime: start, attributes },
    parent,
  )
  if (facts.failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  const inside = trace.setSpan(parent, span)
  for (const run of facts.toolRuns ?? []) {
    // Without a known start only the duration of the span is meaningful.
    const began = run.startedAt === undefined ? start : start + (run.startedAt - facts.startedAt)
    const child = tracer.startSpan(
      `execute_tool ${run.name}`,
      { kind: SpanKind.INTERNAL, startTime: began, attributes: runAttributes(run) },
      inside,
    )
    if (run.status !== 'ok') child.setStatus({ code: SpanStatusCode.ERROR })
    child.end(began + run.durationMs)
  }
  span.end(start + (facts.totalMs ?? 0))
}

function exchangeAttributes(facts: ExchangeFacts): Attributes {
  const { usage, failure } = facts
  const record = recordOf(facts)
  return defined({
    [genAi.operationName]: 'chat',
    [genAi.providerName]: facts.provider,
    [genAi.requestModel]: record.upstream_model ?? record.model,
    [genAi.responseId]: record.response_id,
    [genAi.finishReasons]: record.finish === undefined ? undefined : [record.finish],
    [genAi.inputTokens]: usage?.input,
    [genAi.outputTokens]: usage?.output,
    [genAi.cacheReadTokens]: usage?.cacheRead,
    [genAi.errorType]: failure?.code,
    'toolwire.request.id': record.id,
    'toolwire.wire': record.wire,
    'toolwire.upstream': record.upstream,
    'toolwire.upstream.wire': record.upstream_wire,
    'http.response.status_code': record.status,
    'toolwire.first_byte_ms': record.first_byte_ms,
    'toolwire.overhead_ms': record.overhead_ms,
    'toolwire.losses': record.losses,
    'toolwire.retries': record.retries,
    'toolwire.abandoned': record.abandoned,
  })
}

function runAttributes({ name, callId, status }: ToolRun): Attributes {
  return defined({
    [genAi.operationName]: 'execute_tool',
    [genAi.toolName]: name,
    [genAi.toolCallId]: callId,
    [genAi.toolType]: 'function',
    [genAi.errorType]: status === 'ok' ? undefined : status,
  })
}

function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}
