import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api'
import { INVALID_SPAN_CONTEXT, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import { noon, pass, wholeExchange } from './exchange.test-helper.ts'
import type { ExchangeFacts } from './observer.ts'
import { createSpans } from './spans.ts'

interface Made {
  name: string
  kind: SpanKind | undefined
  attributes: Attributes
  parent: string | undefined
  start: unknown
  end: unknown
  status: unknown
}

/** Replaces an SDK: records the spans that are started. */
function recordingTracer(): { tracer: Tracer; made: Made[] } {
  const made: Made[] = []
  const names = new Map<Span, string>()
  const startSpan = (name: string, options: SpanOptions = {}, context: Context = ROOT_CONTEXT): Span => {
    const above = trace.getSpan(context)
    const { kind, attributes = {}, startTime } = options
    const parent = above && names.get(above)
    const entry: Made = {
      name,
      kind,
      attributes,
      parent,
      start: startTime,
      end: undefined,
      status: undefined,
    }
    made.push(entry)
    const span: Span = {
      ...trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
      setStatus(status) {
        entry.status = status
        return span
      },
      end(time) {
        entry.end = time
      },
    }
    names.set(span, name)
    return span
  }
  // Only `startSpan` is used.
  return { tracer: { startSpan } as Tracer, made }
}

async function spansOf(...exchanges: readonly Partial<ExchangeFacts>[]): Promise<Made[]> {
  const { tracer, made } = recordingTracer()
  const observer = await createSpans({ tracer })
  for (const facts of exchanges) pass(observer, facts)
  return made
}

describe('spans', () => {
  test('An exchange becomes one span with a child for each tool that was run.', async () => {
    expect(await spansOf(wholeExchange)).toEqual([
      {
        name: 'chat qwen3',
        kind: SpanKind.CLIENT,
        parent: undefined,
        start: noon,
        end: noon + 1420,
        status: undefined,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'qwen3',
          'gen_ai.response.id': 'resp_1',
          'gen_ai.response.finish_reasons': ['tool_calls'],
          'gen_ai.usage.input_tokens': 1200,
          'gen_ai.usage.output_tokens': 56,
          'gen_ai.usage.cache_read.input_tokens': 1000,
          'http.response.status_code': 200,
          'toolwire.request.id': 'req_abcdefghijklmnop',
          'toolwire.wire': 'responses',
          'toolwire.upstream': 'local',
          'toolwire.upstream.wire': 'chat',
          'toolwire.first_byte_ms': 212.25,
          'toolwire.overhead_ms': 3.123,
          'toolwire.losses': 1,
          'toolwire.retries': 1,
          'toolwire.abandoned': false,
        },
      },
      {
        name: 'execute_tool search',
        kind: SpanKind.INTERNAL,
        parent: 'chat qwen3',
        start: noon,
        end: noon + 120,
        status: undefined,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'search',
          'gen_ai.tool.call.id': 'call_1',
          'gen_ai.tool.type': 'function',
        },
      },
      {
        name: 'execute_tool fetch',
        kind: SpanKind.INTERNAL,
        parent: 'chat qwen3',
        start: noon,
        end: noon + 3000,
        status: { code: SpanStatusCode.ERROR },
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'fetch',
          'gen_ai.tool.call.id': 'call_2',
          'gen_ai.tool.type': 'function',
          'error.type': 'timed_out',
        },
      },
    ])
  })

  test('A failed span has the code of the failure but not its message.', async () => {
    const failure = { code: 'upstream_cut', message: 'private words' }
    const [span] = await spansOf({
      ...wholeExchange,
      toolRuns: [],
      upstreamWire: 'messages',
      provider: 'anthropic',
      failure,
    })
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span?.attributes).toMatchObject({
      'error.type': 'upstream_cut',
      'gen_ai.provider.name': 'anthropic',
    })
    expect(JSON.stringify(span)).not.toContain('private')
  })

  test('A span starts when the request was read, and a tool span when the tool was started, if that is known.', async () => {
    const run = { name: 'search', callId: 'c', status: 'ok', durationMs: 10, startedAt: 1350 }
    const { tracer, made } = recordingTracer()
    const observer = await createSpans({ tracer })
    pass(observer, { ...wholeExchange, toolRuns: [run] }, ({ facts }) => {
      facts.startedAt += 250
    })
    expect(made.map(({ start, end }) => [start, end])).toEqual([
      [noon + 250, noon + 250 + 1420],
      [noon + 350, noon + 360],
    ])
  })

  test('Requests that are not exchanges get no span.', async () => {
    expect(
      await spansOf({ route: 'GET /live', status: 200 }, { route: 'GET /v1/models', status: 200 }),
    ).toEqual([])
  })

  test('Spans do nothing when no SDK is registered.', async () => {
    const observer = await createSpans({ version: '1' })
    expect(() => pass(observer, wholeExchange)).not.toThrow()
  })
})
