/** @toolwire/core/run: conversations on a wire that is passed as a definition; see `exchange.ts`. */
import type { ConversationResult, ResumeOptions, StartOptions } from './client/run-conversation.ts'
import { runConversationWith } from './client/run-conversation.ts'
import { host as platform } from './platform.ts'
import type { Host } from './runtime/host.ts'
import type { ConversationLike } from './wires/facets.ts'
import { conversationFacet } from './wires/facets.ts'

/** How a conversation starts, or goes on from its saved state. */
export type RunConversationOptions = StartOptions<ConversationLike> | ResumeOptions<ConversationLike>

/** Like `runConversation` of the main entry. To resume from a `state`, pass the definition of its wire too. */
export async function runConversation({
  host = platform,
  ...options
}: RunConversationOptions & { readonly host?: Host }): Promise<ConversationResult> {
  const wire = conversationFacet(options.wire as ConversationLike, 'wire')
  return runConversationWith(host, { ...options, wire })
}

export type { ConversationResult } from './client/run-conversation.ts'
export { runToolCalls } from './run-tool-calls.ts'
export type { NextRound, RoundAnswer, RoundSteps, RoundsEnd } from './runtime/rounds.ts'
export { runRounds } from './runtime/rounds.ts'
export { defineTool } from './runtime/tools/define-tool.ts'
export { ToolRegistry } from './runtime/tools/registry.ts'
export { chatConversation as chat } from './wires/chat/conversation.ts'
export type { WireConversation } from './wires/define-wire.ts'
export { messagesConversation as messages } from './wires/messages/conversation.ts'
export { responsesConversation as responses } from './wires/responses/conversation.ts'
