/** @toolwire/core/run: conversations on a wire that is passed as a definition; see `exchange.ts`. */
import type { ConversationResult, RunConversationOptions } from './client/run-conversation.ts'
import { runConversationWith } from './client/run-conversation.ts'
import { host as platform } from './platform.ts'
import type { Host } from './runtime/host.ts'

/** Like `runConversation` of the main entry. To resume from a `state`, pass the definition of its wire too. */
export function runConversation({
  host = platform,
  ...options
}: RunConversationOptions & { readonly host?: Host }): Promise<ConversationResult> {
  return runConversationWith(host, options)
}

export type { ConversationResult, RunConversationOptions } from './client/run-conversation.ts'
export { runToolCalls } from './run-tool-calls.ts'
export { defineTool } from './runtime/tools/define-tool.ts'
export { ToolRegistry } from './runtime/tools/registry.ts'
export { chatConversation as chat } from './wires/chat/conversation.ts'
export type { WireConversation } from './wires/define-wire.ts'
export { messagesConversation as messages } from './wires/messages/conversation.ts'
export { responsesConversation as responses } from './wires/responses/conversation.ts'
