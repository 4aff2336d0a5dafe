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

export type StartOptions = Start<Wire>
export type ResumeOptions = Resume<Wire>
export type RunConversationOptions = StartOptions | ResumeOptions

/**
 * Asks a model, runs the tools it calls, sends the results, and asks again until it has answered. Rejects only
 * over options that cannot be used; however else it ends, the result holds the reason and can be resumed.
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

/** A state names its wire; one that is not built in must be given along with it. */
function wireOfState({ state, wire }: { readonly state: unknown; readonly wire?: Wire }): WireConversation {
  return conversationOf(wire ?? (checkState(state).wire as Wire), wire === undefined ? 'state.wire' : 'wire')
}
