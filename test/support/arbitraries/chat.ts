/** Random Chat Completions requests. */
import fc from 'fast-check'
import type { JsonObject } from '../../../packages/core/src/json/object.ts'
import { toolErrorMark } from '../../../packages/core/src/wires/kit/tool-error-mark.ts'

/** As a JSON parser returns it: plain objects, no negative zero. */
const asJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null })
const record = (shape: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  fc.record(shape, { requiredKeys })

const text = fc.oneof(fc.string(), fc.constantFrom('', `${toolErrorMark}no such file`, 'é\u2028"\\'))
const id = fc.stringMatching(/^call_[a-z0-9]{1,6}$/)
const breakpoint = fc.constant({ mode: 'explicit' })
const textPart = record({ type: fc.constant('text'), text, prompt_cache_breakpoint: breakpoint }, [
  'type',
  'text',
])
const url = fc.constantFrom(
  'https://a.example/b.png',
  'data:image/png;base64,aGk=',
  'data:,plain',
  'data:;base64,',
)
const imagePart = record(
  {
    type: fc.constant('image_url'),
    image_url: record({ url, detail: fc.constantFrom('auto', 'low') }, ['url']),
    prompt_cache_breakpoint: breakpoint,
  },
  ['type', 'image_url'],
)
const filePart = record(
  {
    type: fc.constant('file'),
    file: fc.oneof(
      record({ file_id: fc.string(), filename: fc.string() }, ['file_id']),
      record({ file_data: fc.oneof(url, fc.constant('JVBERi0x')), filename: fc.string() }, ['file_data']),
    ),
  },
  ['type', 'file'],
)
const audioPart = fc.constant({ type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } })
const texts = fc.oneof(text, fc.array(textPart, { minLength: 1, maxLength: 3 }))
const toolCall = fc.oneof(
  fc.record({
    id,
    type: fc.constant('function'),
    function: fc.record({ name: fc.string(), arguments: text }),
  }),
  fc.record({ id, type: fc.constant('custom'), custom: fc.record({ name: fc.string(), input: text }) }),
)
const refusalPart = fc.record({ type: fc.constant('refusal'), refusal: text })
const assistant = record(
  {
    role: fc.constant('assistant'),
    content: nullable(
      fc.oneof(text, fc.array(fc.oneof(textPart, refusalPart), { minLength: 1, maxLength: 3 })),
    ),
    refusal: nullable(text),
    name: fc.string(),
    audio: nullable(fc.record({ id: fc.string() })),
    tool_calls: fc.array(toolCall, { maxLength: 3 }),
    function_call: nullable(fc.record({ name: fc.string(), arguments: text })),
    reasoning_content: nullable(text),
    reasoning: text,
    annotations: fc.constantFrom(
      [],
      [{ type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 0, end_index: 2 } }],
    ),
  },
  ['role'],
)
const message = fc.oneof(
  record({ role: fc.constantFrom('system', 'developer'), content: texts, name: fc.string() }, [
    'role',
    'content',
  ]),
  record(
    {
      role: fc.constant('user'),
      content: fc.oneof(text, fc.array(fc.oneof(textPart, imagePart, filePart, audioPart), { maxLength: 4 })),
      name: fc.string(),
    },
    ['role', 'content'],
  ),
  assistant,
  fc.record({ role: fc.constant('tool'), tool_call_id: id, content: texts }),
  fc.record({ role: fc.constant('function'), name: fc.string(), content: nullable(text) }),
)
const format = fc.oneof(
  fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
  fc.record({
    type: fc.constant('json_schema'),
    json_schema: record(
      {
        name: fc.string(),
        schema: fc.dictionary(fc.string(), fc.jsonValue()),
        strict: nullable(fc.boolean()),
      },
      ['name'],
    ),
  }),
)
const number = nullable(fc.double({ noNaN: true, noDefaultInfinity: true }))
export const request = record(
  {
    model: fc.string(),
    messages: fc.array(message, { maxLength: 6 }),
    max_completion_tokens: number,
    max_tokens: number,
    temperature: number,
    top_p: number,
    n: number,
    seed: number,
    stop: nullable(fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 }))),
    stream: nullable(fc.boolean()),
    stream_options: nullable(record({ include_usage: fc.boolean(), include_obfuscation: fc.boolean() }, [])),
    reasoning_effort: nullable(fc.string()),
    response_format: format,
    verbosity: nullable(fc.string()),
    logprobs: nullable(fc.boolean()),
    top_logprobs: number,
    store: nullable(fc.boolean()),
    metadata: nullable(fc.dictionary(fc.string(), fc.string())),
    service_tier: nullable(fc.string()),
    safety_identifier: nullable(fc.string()),
    prompt_cache_key: nullable(fc.string()),
    prompt_cache_retention: nullable(fc.string()),
    user: fc.string(),
    web_search_options: fc.constant({ search_context_size: 'low' }),
    tools: fc.constant([{ type: 'function', function: { name: 'f', parameters: {}, strict: null } }]),
    tool_choice: fc.constantFrom('auto', { type: 'function', function: { name: 'f' } }),
    parallel_tool_calls: fc.boolean(),
  },
  ['model', 'messages'],
).map(asJson)
