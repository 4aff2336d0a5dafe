/** Requests as Codex and Claude Code send them in the middle of a task, with everything that they send unasked. */
type Json = Record<string, unknown>

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}

const codexFunction = (name: string, more: Json = {}): Json => ({
  type: 'function',
  name,
  description: `The tool ${name}.`,
  strict: false,
  parameters: schema,
  ...more,
})

/** Codex 0.166. */
export const codexRequest: Json = {
  model: 'qwen3',
  stream: true,
  store: false,
  input: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'developer',
      content: [{ type: 'input_text', text: 'Be careful.' }],
    },
    {
      type: 'message',
      id: 'msg_2',
      role: 'user',
      content: [{ type: 'input_text', text: 'Look.' }],
      internal_chat_message_metadata_passthrough: { turn: 't1' },
    },
    {
      type: 'message',
      id: 'msg_3',
      role: 'assistant',
      phase: 'commentary',
      status: 'completed',
      content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'exec_command',
      arguments: '{"a":"ls"}',
      status: 'completed',
    },
    { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'a.ts' },
    {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_2',
      name: 'apply_patch',
      input: '*** Begin Patch',
      status: 'completed',
    },
    { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_2', output: 'Done.' },
    {
      type: 'function_call',
      id: 'fc_2',
      call_id: 'call_3',
      namespace: 'mcp__demo',
      name: 'search_docs',
      arguments: '{"a":"x"}',
    },
    {
      type: 'function_call_output',
      id: 'fco_2',
      call_id: 'call_3',
      output: [{ type: 'input_text', text: 'Found.' }],
    },
    {
      type: 'message',
      id: 'msg_4',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Like this:' },
        { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'high' },
      ],
    },
  ],
  tools: [
    { type: 'web_search', external_web_access: false },
    codexFunction('exec_command'),
    codexFunction('view_image'),
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    {
      type: 'tool_search',
      execution: 'client',
      description: 'Finds tools.',
      parameters: { type: 'object', properties: { query: { type: 'string' } } },
    },
    {
      type: 'namespace',
      name: 'mcp__demo',
      description: 'A server.',
      tools: [codexFunction('search_docs', { defer_loading: true })],
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto', context: 'all' },
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'a1',
  text: { verbosity: 'low' },
  client_metadata: { 'x-codex-installation-id': 'b2' },
}

const brief = { type: 'ephemeral' }

/** Claude Code 2.1. */
export const claudeCodeRequest: Json = {
  model: 'claude-opus-4-8',
  max_tokens: 32_000,
  stream: true,
  metadata: { user_id: `user_${'a1'.repeat(72)}_` },
  thinking: { type: 'adaptive' },
  output_config: { effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  system: [
    { type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'text', text: 'Be brief.', cache_control: brief },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>It is late.</system-reminder>' },
        { type: 'text', text: 'Look.', cache_control: brief },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { a: 'b.png' } },
        { type: 'tool_use', id: 'toolu_2', name: 'Bash', input: { a: 'ls' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
        },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          is_error: true,
          content: 'No such file.',
          cache_control: brief,
        },
      ],
    },
  ],
  tools: [
    { name: 'Read', description: 'Reads.', input_schema: schema },
    { name: 'Bash', description: 'Runs.', input_schema: schema, eager_input_streaming: true },
    { name: 'mcp__x__y', description: 'Asks.', input_schema: schema, defer_loading: true },
    { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
  ],
}

/** The same with the tokens for thinking that older models are given. */
const { output_config: _, ...withoutEffort } = claudeCodeRequest
export const olderClaudeCodeRequest: Json = {
  ...withoutEffort,
  model: 'claude-sonnet-4-5',
  temperature: 1,
  thinking: { type: 'enabled', budget_tokens: 31_999 },
}
