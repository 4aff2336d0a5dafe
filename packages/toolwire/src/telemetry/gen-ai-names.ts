/**
 * The names of OpenTelemetry's conventions for generative AI that spans use. All of them are still called
 * "development" there, so they stand in one place.
 */
export const genAi = {
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

/** What the conventions have no name for. */
export const own = {
  requestId: 'toolwire.request.id',
  wire: 'toolwire.wire',
  upstream: 'toolwire.upstream',
  upstreamWire: 'toolwire.upstream.wire',
  status: 'http.response.status_code',
  firstByteMs: 'toolwire.first_byte_ms',
  overheadMs: 'toolwire.overhead_ms',
  losses: 'toolwire.losses',
  retries: 'toolwire.retries',
  abandoned: 'toolwire.abandoned',
} as const
