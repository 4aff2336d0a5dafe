/** Random Messages requests. */
import fc from 'fast-check'
import type { JsonObject } from '../../../packages/core/src/json/object.ts'

const word = fc.string({ maxLength: 8 })
/** As a JSON parser returns it. */
const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value))
export const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 }).map(parsed)
export const object = fc
  .dictionary(fc.oneof(word, fc.constantFrom('__proto__', 'constructor', 'type')), json, { maxKeys: 3 })
  .map(value => parsed<JsonObject>(value))
const cache = fc.constantFrom(
  null,
  { type: 'ephemeral' },
  { type: 'ephemeral', ttl: '5m' },
  { type: 'ephemeral', ttl: '1h' },
  { type: 'ephemeral', ttl: '1w' },
)
export const record = <T extends Record<string, fc.Arbitrary<unknown>>, K extends keyof T & string>(
  model: T,
  ...required: K[]
) => fc.record(model, { requiredKeys: required })

const citation = fc.oneof(
  fc.record({
    type: fc.constant('web_search_result_location'),
    url: word,
    title: fc.option(word),
    cited_text: word,
    encrypted_index: word,
  }),
  fc.record({
    type: fc.constant('char_location'),
    cited_text: word,
    document_index: fc.nat(),
    document_title: fc.option(word),
    start_char_index: fc.nat(),
    end_char_index: fc.nat(),
  }),
)
const textBlock = record(
  {
    type: fc.constant('text'),
    text: word,
    cache_control: cache,
    citations: fc.option(fc.array(citation, { maxLength: 3 })),
  },
  'type',
  'text',
)
const source = fc.oneof(
  fc.record({ type: fc.constant('base64'), media_type: fc.constant('image/png'), data: word }),
  fc.record({ type: fc.constant('url'), url: word }),
  fc.record({ type: fc.constant('file'), file_id: word }),
)
const image = record(
  { type: fc.constant('image'), source, cache_control: cache, transformations: fc.option(object) },
  'type',
  'source',
)
const content = fc.oneof(word, fc.array(fc.oneof(textBlock, image), { maxLength: 2 }))
const document = record(
  {
    type: fc.constant('document'),
    source: fc.oneof(
      source,
      fc.record({ type: fc.constant('text'), media_type: fc.constant('text/plain'), data: word }),
      fc.record({ type: fc.constant('content'), content }),
    ),
    title: fc.option(word),
    context: fc.option(word),
    citations: fc.option(record({ enabled: fc.boolean() })),
    cache_control: cache,
  },
  'type',
  'source',
)
const searchResult = record(
  {
    type: fc.constant('search_result'),
    content: fc.array(textBlock, { maxLength: 2 }),
    source: word,
    title: word,
    citations: record({ enabled: fc.boolean() }),
    cache_control: cache,
  },
  'type',
  'content',
  'source',
  'title',
)
const toolReference = fc.record({ type: fc.constant('tool_reference'), tool_name: word })
const browserState = record(
  {
    type: fc.constant('browser_state'),
    tabs: fc.array(fc.record({ tab_id: word, title: word, url: word, active: fc.boolean() }), {
      maxLength: 2,
    }),
    state_changes: fc.option(fc.array(object, { maxLength: 2 })),
    cache_control: cache,
  },
  'type',
  'tabs',
)
const toolChange = fc.oneof(
  record(
    {
      type: fc.constantFrom('tool_addition', 'tool_removal'),
      tool: fc.oneof(
        fc.record({ type: fc.constant('tool_reference'), name: fc.constantFrom('w', 'x', 'y') }),
        fc.record({ type: fc.constant('mcp_toolset_reference'), server_name: word }),
        fc.record({
          type: fc.constant('tool_definition'),
          definition: fc.record({ name: fc.constant('y'), input_schema: fc.constant({ type: 'object' }) }),
        }),
      ),
      cache_control: cache,
    },
    'type',
    'tool',
  ),
)
const compaction = record(
  {
    type: fc.constant('compaction'),
    content: fc.option(word),
    encrypted_content: fc.option(word),
    signature: fc.option(word),
    tool_changes: fc.option(fc.array(toolChange, { maxLength: 2 })),
    cache_control: cache,
  },
  'type',
)
const caller = fc.constantFrom({ type: 'direct' }, { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' })
const toolUse = record(
  {
    type: fc.constant('tool_use'),
    id: word,
    name: word,
    input: object,
    cache_control: cache,
    caller,
    toolset_name: fc.option(fc.oneof(word, fc.constantFrom('browser', 'computer'))),
  },
  'type',
  'id',
  'name',
  'input',
)
const toolResult = record(
  {
    type: fc.constant('tool_result'),
    tool_use_id: word,
    content: fc.oneof(
      word,
      fc.array(fc.oneof(textBlock, image, document, searchResult, toolReference, browserState, object), {
        maxLength: 3,
      }),
    ),
    is_error: fc.boolean(),
    cache_control: cache,
    toolset_name: fc.option(fc.oneof(word, fc.constantFrom('browser', 'computer'))),
  },
  'type',
  'tool_use_id',
)
const assistantBlock = fc.oneof(
  textBlock,
  toolUse,
  fc.record({ type: fc.constant('thinking'), thinking: word, signature: word }),
  fc.record({ type: fc.constant('redacted_thinking'), data: word }),
  fc.record({
    type: fc.constant('server_tool_use'),
    id: word,
    name: fc.constant('web_search'),
    input: object,
  }),
  fc.record({ type: fc.constant('web_search_tool_result'), tool_use_id: word, content: fc.array(object) }),
  fc.record({ type: fc.constant('container_upload'), file_id: word }),
  compaction,
  fc.record({ type: fc.constant('mcp_tool_listing'), mcp_server_name: word, tools: fc.array(object) }),
)
const userBlock = fc.oneof(textBlock, image, document, searchResult, toolResult)
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(word, fc.array(userBlock, { maxLength: 3 })) }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.oneof(word, fc.array(assistantBlock, { maxLength: 3 })),
  }),
  record(
    {
      role: fc.constant('system'),
      content: fc.oneof(word, fc.array(fc.oneof(textBlock, toolChange), { maxLength: 2 })),
      clear_at: fc.constantFrom('next_user_message', 'never', 'later', null),
      output_config: record({ effort: fc.constantFrom('low', 'max', null) }),
    },
    'role',
  ),
)
export const request = record(
  {
    model: word,
    max_tokens: fc.nat(),
    messages: fc.array(message, { maxLength: 5 }),
    system: fc.oneof(word, fc.array(textBlock, { maxLength: 2 })),
    cache_control: cache,
    container: fc.option(fc.oneof(word, object)),
    inference_geo: fc.option(word),
    metadata: record({ user_id: fc.option(word) }),
    output_config: record({
      effort: fc.constantFrom('low', 'medium', 'high', 'xhigh', 'max', null),
      format: fc.option(fc.record({ type: fc.constant('json_schema'), schema: object })),
    }),
    service_tier: fc.constantFrom('auto', 'standard_only'),
    speed: fc.constantFrom('standard', 'fast', null),
    stop_sequences: fc.array(word),
    stream: fc.boolean(),
    temperature: fc.integer({ min: 0, max: 1 }),
    top_p: fc.integer({ min: 0, max: 1 }),
    top_k: fc.nat(),
    thinking: fc.constantFrom(
      { type: 'disabled' },
      { type: 'adaptive', display: null },
      { type: 'enabled', budget_tokens: 1024 },
    ),
    tool_choice: fc.constantFrom({ type: 'auto' }, { type: 'tool', name: 'w' }, { type: 'none' }),
    tools: fc.array(
      fc.oneof(
        fc.record({ name: fc.constantFrom('w', 'x'), input_schema: fc.constant({ type: 'object' }) }),
        fc.record({ type: fc.constant('computer_toolset_20260801'), configs: fc.option(object) }),
      ),
      { maxLength: 3 },
    ),
    user_profile_id: word,
  },
  'model',
  'max_tokens',
  'messages',
)
