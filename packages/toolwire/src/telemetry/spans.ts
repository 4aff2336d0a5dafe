/**
 * Spans for OpenTelemetry: one for each exchange, and below it one for each tool the gateway ran. They are made when
 * the exchange is over and hold no content. Who wants them brings an SDK; without one they cost next to nothing.
 */
import type { Attributes, Context, Tracer } from '@opentelemetry/api'
import { recordOf } from './exchange-record.ts'
import { genAi, own } from './gen-ai-names.ts'
import type { ExchangeFacts, Observer, ToolRun } from './observer.ts'
import { onEnd } from './on-end.ts'

type Api = typeof import('@opentelemetry/api')

export interface SpansOptions {
  /** The tracer of the registered SDK when left out. */
  readonly tracer?: Tracer
  /** The version to name the tracer with. */
  readonly version?: string
}

/** A run that knows when it began, by the clock of `startedAt` of the exchange. */
type TimedRun = ToolRun & { readonly startedAt?: number }

/** The package is loaded here, so that it costs nothing unless spans are wanted. */
export async function createSpans({ tracer, version }: SpansOptions = {}): Promise<Observer> {
  const api = await import('@opentelemetry/api')
  return onEnd(facts => {
    // Whatever span the server around the gateway has open becomes the parent.
    const parent = api.context.active()
    const begun = facts.startedAt
    return () => {
      if (facts.wire === undefined) return
      // The clock of an exchange begins when the client's request is there, a little after the exchange itself.
      const start = facts.at + (facts.startedAt - begun)
      record({ api, tracer: tracer ?? api.trace.getTracer('toolwire', version), facts, parent, start })
    }
  })
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
  const runs: readonly TimedRun[] = facts.toolRuns ?? []
  for (const run of runs) {
    // Where the beginning of a run is not known, only the length of its span means something.
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

/** The conventions tell telemetry apart by who invented the wire. */
const providers: { readonly [wire: string]: string } = {
  chat: 'openai',
  responses: 'openai',
  messages: 'anthropic',
}

function exchangeAttributes(facts: ExchangeFacts): Attributes {
  const { usage, failure } = facts
  const record = recordOf(facts)
  return defined({
    [genAi.operationName]: 'chat',
    [genAi.providerName]: providers[facts.upstreamWire ?? facts.wire ?? 'chat'],
    [genAi.requestModel]: record.upstream_model ?? record.model,
    [genAi.responseId]: record.response_id,
    [genAi.finishReasons]: record.finish === undefined ? undefined : [record.finish],
    [genAi.inputTokens]: usage?.input,
    [genAi.outputTokens]: usage?.output,
    [genAi.cacheReadTokens]: usage?.cacheRead,
    [genAi.errorType]: failure?.code,
    [own.requestId]: record.id,
    [own.wire]: record.wire,
    [own.upstream]: record.upstream,
    [own.upstreamWire]: record.upstream_wire,
    [own.status]: record.status,
    [own.firstByteMs]: record.first_byte_ms,
    [own.overheadMs]: record.overhead_ms,
    [own.losses]: record.losses,
    [own.retries]: record.retries,
    [own.abandoned]: record.abandoned,
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
