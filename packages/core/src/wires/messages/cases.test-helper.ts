/** Samples of Messages bodies for the cases that all wires share. */
import fc from 'fast-check'
import { json, object, record, request } from '../../../../../test/support/arbitraries/messages.ts'
import { toolsOf } from '../../../../../test/support/arbitraries/tools.ts'
import type { WireSamples } from '../common.cases.test-helper.ts'

const word = fc.string({ maxLength: 8 })
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary)

const citation = fc.oneof(
  fc.record({
    type: fc.constant('web_search_result_location'),
    url: word,
    title: nullable(word),
    cited_text: word,
    encrypted_index: word,
  }),
  fc.record({
    type: fc.constant('page_location'),
    cited_text: word,
    document_index: fc.nat(),
    file_id: fc.constant(null),
  }),
)
const block = fc.oneof(
  record(
    { type: fc.constant('text'), text: word, citations: nullable(fc.array(citation, { maxLength: 3 })) },
    'type',
    'text',
  ),
  fc.record({ type: fc.constant('thinking'), thinking: word, signature: word }),
  fc.record({ type: fc.constant('redacted_thinking'), data: word }),
  record(
    {
      type: fc.constant('tool_use'),
      id: word,
      name: word,
      input: object,
      caller: fc.constantFrom({ type: 'direct' }, { type: 'code_execution_20250825', tool_id: 's' }),
      toolset_name: nullable(word),
    },
    'type',
    'id',
    'name',
    'input',
  ),
  fc.record({ type: fc.constant('server_tool_use'), id: word, name: word, input: json, caller: object }),
  fc.record({ type: fc.constant('code_execution_tool_result'), tool_use_id: word, content: object }),
)
const usage = record(
  {
    input_tokens: fc.nat(),
    output_tokens: fc.nat(),
    cache_creation_input_tokens: nullable(fc.nat()),
    cache_read_input_tokens: nullable(fc.nat()),
    cache_creation: nullable(
      fc.record({ ephemeral_1h_input_tokens: fc.nat(), ephemeral_5m_input_tokens: fc.nat() }),
    ),
    output_tokens_details: nullable(record({ thinking_tokens: fc.nat(), more: word }, 'thinking_tokens')),
    server_tool_use: nullable(fc.record({ web_search_requests: fc.nat() })),
    service_tier: fc.constantFrom('standard', 'priority', null),
  },
  'input_tokens',
  'output_tokens',
)
const stopReason = fc.constantFrom(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  null,
)
const answers = record(
  {
    id: word,
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    model: word,
    content: fc.array(block, { maxLength: 4 }),
    stop_reason: stopReason,
    stop_sequence: nullable(word),
    usage,
    container: nullable(fc.record({ id: word, expires_at: word, skills: fc.constant(null) })),
    stop_details: nullable(
      fc.record({ type: fc.constant('refusal'), category: fc.constant(null), explanation: nullable(word) }),
    ),
    diagnostics: fc.constant(null),
  },
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
)
const errors = record(
  {
    type: fc.constant('error'),
    error: record(
      {
        type: fc.constantFrom(
          'invalid_request_error',
          'overloaded_error',
          'request_too_large',
          'of_tomorrow',
        ),
        message: word,
        details: nullable(record({ error_code: word, more: word })),
      },
      'type',
      'message',
    ),
    request_id: nullable(word),
  },
  'type',
  'error',
)

export const messagesSamples: WireSamples = {
  requests: request,
  answers,
  errors,
  tools: toolsOf('messages'),
  wordKeys: ['type', 'role', 'stop_reason'],
  finishes: { filter: 'refusal', cancelled: 'length', unfinished: 'length' },
  missing: ['refusal', 'custom call'],
}
