import type { ConversationResult, RunConversationOptions } from './client/run-conversation.ts'
import { runConversationWith } from './client/run-conversation.ts'
import { host as platform } from './platform.ts'
import type { Host } from './runtime/host.ts'

/**
 * Asks a model, runs the tools it calls, tells it the results, and asks again until it has answered. Rejects only
 * over options that cannot be used; however else it ends, the result says why and can be gone on from.
 */
export function runConversation({
  host = platform,
  ...options
}: RunConversationOptions & { readonly host?: Host }): Promise<ConversationResult> {
  return runConversationWith(host, options)
}
