/** `runConversation` for wires that are given by name. */
import type * as client from './client/run-conversation.ts'
import type {
  ConversationResult,
  ResumeOptions as Resume,
  StartOptions as Start,
} from './client/run-conversation.ts'
import { runConversationWith } from './client/run-conversation.ts'
import { checkState } from './client/state.ts'
import { host as platform } from './platform.ts'
import type { Host } from './runtime/host.ts'
import { strictPasses } from './schema/strict/passes.ts'
import type { WireConversation } from './wires/define-wire.ts'
import type { Wire } from './wires/registry.ts'
import { conversationOf } from './wires/registry.ts'

/** How a conversation starts. */
export type StartOptions = Start<Wire>
/** How a saved conversation goes on. */
export type ResumeOptions = Resume<Wire>
/** How a conversation starts, or goes on from its saved state. */
export type RunConversationOptions = StartOptions | ResumeOptions

/**
 * Sends a request, runs the tools that the model calls, sends the results, and repeats until the model has answered.
 * Rejects only for wrong options; otherwise the result has the reason why it ended, and can be resumed.
 *
 * @example
 * ```js
 * import { defineTool, runConversation } from '@toolwire/core'
 * import { calls, createScriptedModel, says } from '@toolwire/core/testing'
 *
 * const now = defineTool({ name: 'now', description: 'The time', handler: () => 'noon' })
 * // A scripted model stands in for body => client.chat.completions.create(body).
 * const { send } = createScriptedModel({ wire: 'chat', script: [calls({ name: 'now', arguments: {} }), says('Noon.')] })
 * const request = { model: 'any', messages: [{ role: 'user', content: 'What time is it?' }] }
 * const { text, reason } = await runConversation({ wire: 'chat', request, send, tools: [now] })
 * console.log(text, reason)
 * ```
 */
export async function runConversation({
  host = platform,
  ...options
}: RunConversationOptions & { readonly host?: Host }): Promise<ConversationResult> {
  return runConversationWith(host, withDefinition(options))
}

function withDefinition(options: RunConversationOptions): client.RunConversationOptions {
  if (options.state === undefined)
    return { strictPasses, ...options, wire: conversationOf(options.wire, 'wire') }
  if (typeof options.wire === 'string')
    throw new TypeError('"state" holds the wire already; leave "wire" out, and pass "input" for what is new.')
  return { strictPasses, ...options, wire: wireOfState(options) }
}

/** A state contains the name of its wire; the definition of a wire that is not built in must be passed too. */
function wireOfState({ state, wire }: { readonly state: unknown; readonly wire?: Wire }): WireConversation {
  return conversationOf(wire ?? (checkState(state).wire as Wire), wire === undefined ? 'state.wire' : 'wire')
}
