/**
 * The items, blocks and events that the official client libraries know, and what becomes of each on other wires. A new
 * version of a library with a member that is not listed fails the test beside: decide what becomes of it, then list it.
 */

interface Fates {
  /** The model has it: it is carried where the other wire can say it. */
  readonly modelled: readonly string[]
  /** Other wires get what it says as text. */
  readonly text: readonly string[]
  /** Nobody else can read it; it is reported. */
  readonly reported: readonly string[]
}

export const responsesItems: Fates = {
  modelled: [
    'additional_tools',
    'apply_patch_call',
    'apply_patch_call_output',
    'configuration_update',
    'custom_tool_call',
    'custom_tool_call_output',
    'function_call',
    'function_call_output',
    'local_shell_call',
    'local_shell_call_output',
    'mcp_call',
    'message',
    'reasoning',
    'shell_call',
    'shell_call_output',
    'tool_search_call',
    'tool_search_output',
  ],
  text: [
    'agent_message',
    'code_interpreter_call',
    'computer_call',
    'computer_call_output',
    'file_search_call',
    'image_generation_call',
    'mcp_approval_request',
    'mcp_approval_response',
    'multi_agent_call',
    'multi_agent_call_output',
    'program',
    'program_output',
    'web_search_call',
  ],
  reported: ['compaction', 'compaction_trigger', 'item_reference', 'mcp_list_tools'],
}

export const messagesBlocks: Fates = {
  modelled: [
    'document',
    'image',
    'mcp_tool_result',
    'mcp_tool_use',
    'redacted_thinking',
    'search_result',
    'text',
    'thinking',
    'tool_addition',
    'tool_removal',
    'tool_result',
    'tool_use',
  ],
  text: [
    'advisor_tool_result',
    'bash_code_execution_tool_result',
    'browser_state',
    'code_execution_tool_result',
    'compaction',
    'server_tool_use',
    'text_editor_code_execution_tool_result',
    'tool_reference',
    'tool_search_tool_result',
    'web_fetch_tool_result',
    'web_search_tool_result',
  ],
  reported: ['container_upload', 'fallback', 'mcp_tool_listing'],
}

export const chatParts: readonly string[] = ['file', 'image_url', 'input_audio', 'refusal', 'text']

/** Events whose content is part of an answer; the others tell of progress, and their item has the result. */
export const responsesEvents: { readonly content: RegExp; readonly progress: RegExp } = {
  content:
    /^(error|response\.(created|queued|in_progress|completed|incomplete|failed|output_item\.\w+|content_part\.\w+|output_text\.[\w.]+|refusal\.\w+|reasoning_\w+\.\w+|function_call_arguments\.\w+|custom_tool_call_input\.\w+))$/,
  progress:
    /^response\.(audio|audio\.transcript|code_interpreter_call|code_interpreter_call_code|compaction|file_search_call|image_generation_call|mcp_call|mcp_call_arguments|mcp_list_tools|shell_call_command|shell_call_output_content|web_search_call)\.\w+$/,
}

export const messagesEvents: readonly string[] = [
  'content_block_delta',
  'content_block_start',
  'content_block_stop',
  'message_delta',
  'message_start',
  'message_stop',
]

export const messagesDeltas: readonly string[] = [
  'citations_delta',
  'compaction_delta',
  'input_json_delta',
  'signature_delta',
  'text_delta',
  'thinking_delta',
]
