/** Random Responses requests and answers. */
import fc from 'fast-check'
import type { JsonObject } from '../../../packages/core/src/json/object.ts'

type Shape = { readonly [key: string]: fc.Arbitrary<unknown> }

function record(required: Shape, optional: Shape = {}): fc.Arbitrary<JsonObject> {
  const known = fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) })
  return fc.tuple(known, extra).map(([fields, more]) => ({ ...more, ...fields }))
}

const extra = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,4}$|^__proto__$/), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 1,
})
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('', '[tool error] x', 'data:,', '[tool error] '),
)
const id = fc.stringMatching(/^[a-z]{2,4}_[a-z0-9]{1,5}$/)
const orNull = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(value, { nil: null })
const list = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> => fc.array(value, { maxLength: 3 })
const is = (...values: unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values)
const status = is('in_progress', 'completed', 'incomplete')
const breakpoint = orNull(record({ mode: is('explicit') }, { ttl: is('30m', '12h', '1h') }))
const url = fc.oneof(
  text,
  is('https://x.test/a', 'data:image/png;base64,AAAA', 'data:;base64,AA', 'data:a,b;base64,c'),
)

const inputText = record({ type: is('input_text'), text }, { prompt_cache_breakpoint: breakpoint })
const inputImage = record(
  { type: is('input_image') },
  {
    image_url: orNull(url),
    file_id: orNull(id),
    detail: orNull(is('auto', 'low')),
    prompt_cache_breakpoint: breakpoint,
  },
)
const inputFile = record(
  { type: is('input_file') },
  {
    file_data: orNull(url),
    file_id: orNull(id),
    file_url: orNull(url),
    filename: orNull(text),
    detail: is('auto'),
  },
)
const inputParts = list(fc.oneof(inputText, inputImage, inputFile))
const annotation = fc.oneof(
  record({ type: is('url_citation'), url, title: text, start_index: fc.nat(), end_index: fc.nat() }),
  record({ type: is('file_citation'), file_id: id, filename: text, index: fc.nat() }),
)
const outputText = record(
  { type: is('output_text'), text },
  { annotations: list(annotation), logprobs: list(record({ token: text, logprob: fc.nat() })) },
)
const outputParts = list(fc.oneof(outputText, record({ type: is('refusal'), refusal: text })))
const caller = orNull(
  fc.oneof(record({ type: is('direct') }), record({ type: is('program'), caller_id: id })),
)

const outputMessage = record(
  { type: is('message'), id, role: is('assistant'), status, content: outputParts },
  { phase: is('commentary', 'partial_answer', 'final_answer', null) },
)
const functionCall = record(
  { type: is('function_call'), call_id: id, name: text, arguments: text },
  { id, status, namespace: text, async: fc.boolean(), caller, created_by: text },
)
const customCall = record(
  { type: is('custom_tool_call'), call_id: id, name: text, input: text },
  { id, status, namespace: text, caller },
)
const output = fc.oneof(text, inputParts)
const functionOutput = record(
  { type: is('function_call_output'), output },
  {
    call_id: orNull(id),
    id: orNull(id),
    status: orNull(status),
    name: orNull(text),
    namespace: orNull(text),
    caller,
  },
)
const customOutput = record(
  { type: is('custom_tool_call_output'), call_id: id, output },
  { id, caller, status },
)
const reasoning = record(
  { type: is('reasoning'), id, summary: list(record({ type: is('summary_text'), text })) },
  { content: list(record({ type: is('reasoning_text'), text })), encrypted_content: orNull(text), status },
)
const hosted = fc.oneof(
  record({ type: is('web_search_call', 'mcp_call', 'program', 'shell_call'), id, status }),
  record(
    { type: is('program_output', 'multi_agent_call_output'), id, call_id: id, status },
    { result: text },
  ),
  record(
    {
      type: is('agent_message'),
      author: text,
      recipient: text,
      content: list(
        fc.oneof(inputText, inputImage, record({ type: is('encrypted_content'), encrypted_content: text })),
      ),
    },
    { id, agent: record({ agent_name: text }) },
  ),
  record(
    { type: is('configuration_update') },
    {
      id,
      reasoning: record({}, { effort: orNull(text) }),
      text: record({}, { format: record({ type: is('text', 'json_object', 'xml') }) }),
    },
  ),
  record({ type: is('item_reference', 'compaction', 'configuration_update', 'acme:unknown'), id }),
)
const inputItem = fc.oneof(
  record(
    { role: is('user', 'assistant', 'system', 'developer'), content: fc.oneof(text, inputParts) },
    { type: is('message'), phase: is('commentary', null), status, id },
  ),
  outputMessage,
  functionCall,
  functionOutput,
  customCall,
  customOutput,
  reasoning,
  hosted,
)

const format = fc.oneof(
  record({ type: is('text', 'json_object') }),
  record(
    { type: is('json_schema'), name: text, schema: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 })) },
    { strict: orNull(fc.boolean()), description: text },
  ),
)
const count = orNull(fc.nat())
const includes = is('reasoning.encrypted_content', 'message.output_text.logprobs', 'web_search_call.results')
export const request = record(
  {},
  {
    model: text,
    input: fc.oneof(text, list(inputItem)),
    instructions: orNull(text),
    max_output_tokens: count,
    temperature: count,
    top_p: count,
    top_logprobs: count,
    max_tool_calls: count,
    stream: orNull(fc.boolean()),
    store: orNull(fc.boolean()),
    background: orNull(fc.boolean()),
    parallel_tool_calls: orNull(fc.boolean()),
    stream_options: orNull(record({}, { include_obfuscation: fc.boolean() })),
    reasoning: orNull(record({}, { effort: orNull(text), summary: orNull(text) })),
    text: record({}, { format, verbosity: orNull(text) }),
    include: orNull(list(includes)),
    metadata: orNull(fc.dictionary(text, text)),
    service_tier: orNull(text),
    safety_identifier: orNull(text),
    prompt_cache_key: orNull(text),
    prompt_cache_retention: orNull(text),
    previous_response_id: orNull(text),
    user: text,
    truncation: orNull(is('auto', 'disabled')),
    tool_choice: is('auto', 'none', 'required'),
    tools: list(
      record({
        type: is('function'),
        name: fc.string({ minLength: 1 }),
        parameters: is(null, {}),
        strict: is(true, false, null),
      }),
    ),
  },
)

const usage = record(
  { input_tokens: fc.nat(), output_tokens: fc.nat(), total_tokens: fc.nat() },
  {
    input_tokens_details: record({}, { cached_tokens: fc.nat(), cache_write_tokens: fc.nat() }),
    output_tokens_details: record({}, { reasoning_tokens: fc.nat() }),
  },
)
const failure = record({ code: text, message: text }, { param: orNull(text), type: orNull(text) })
export const answer = record(
  {
    id,
    object: is('response'),
    output: list(fc.oneof(outputMessage, functionCall, customCall, reasoning, hosted)),
  },
  {
    created_at: fc.nat(),
    completed_at: count,
    status: is('completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete'),
    incomplete_details: orNull(
      record({}, { reason: is('max_output_tokens', 'content_filter', 'steered', 'max_tokens') }),
    ),
    error: orNull(failure),
    model: text,
    usage: orNull(usage),
    instructions: orNull(text),
    metadata: orNull(fc.dictionary(text, text)),
    tools: list(record({ type: is('function'), name: text })),
    service_tier: is('default', 'flex', null),
    billing: record({ payer: text }),
  },
)
export const errorBody = record({
  error: fc.oneof(
    text,
    record({ message: text }, { type: text, param: orNull(text), code: orNull(text) }),
    record({}, { type: text }),
  ),
})

/** Every text of a value replaced by one that can be found again, except those that decide how it is read. */
