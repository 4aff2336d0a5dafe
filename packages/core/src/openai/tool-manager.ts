/** Connects a program that works with Chat messages to a model on Responses, for any number of conversations. */

import { show } from '../json/text.ts'
import type { Host } from '../runtime/host.ts'
import { ToolRegistry } from '../runtime/tools/registry.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
import type { ConversationState, ManagerContext } from './tool-conversation.ts'
import { ToolConversation } from './tool-conversation.ts'
import { withReport } from './tool-formats.ts'
import { checkOptions, requireConversationId } from './tool-manager-checks.ts'
import type { ResultForm, ToolManagerOptions } from './tool-manager-types.ts'
import { LruMap, TrackedCalls } from './tracked-calls.ts'

/** What a manager needs from the platform. */
export interface ManagerPlatform {
  readonly host: Host
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Its own methods act on one default conversation. A program that serves several gets each one with `conversation(id)`;
 * they share the tools and the options, but no calls.
 */
export class ToolManagerWith<
  Form extends ResultForm = 'function_call_output',
> extends ToolConversation<Form> {
  readonly #context: ManagerContext<Form>
  readonly #conversations: LruMap<ConversationState>

  constructor({ host, now }: ManagerPlatform, options: ToolManagerOptions<Form>) {
    checkOptions(options)
    const { tools = [], results = 'function_call_output' as Form, maxTracked = 1000 } = options
    const own: ConversationState = { calls: new TrackedCalls(maxTracked) }
    const context = { host, now, tools: toRegistry(tools), options, form: results, own }
    super(context, () => own)
    this.#context = context
    this.#conversations = new LruMap(options.maxConversations ?? 1000)
  }

  /** The conversation with that id, with separate calls. It is created on first use. */
  conversation(id: string): ToolConversation<Form> {
    const name = requireConversationId(id)
    return new ToolConversation(this.#context, () => this.#stateOf(name))
  }

  /** Ends a conversation; `false` if there was none with that id. */
  forget(id: string): boolean {
    return this.#conversations.delete(requireConversationId(id))
  }

  #stateOf(id: string): ConversationState {
    const existing = this.#conversations.get(id)
    if (existing !== undefined) return existing
    const { maxTracked = 1000, maxConversations = 1000 } = this.#context.options
    const state = { calls: new TrackedCalls(maxTracked) }
    const evicted = this.#conversations.set(id, state)
    if (evicted !== undefined) this.#reportEvicted(evicted[0], evicted[1], maxConversations)
    return state
  }

  #reportEvicted(id: string, { calls: tracked }: ConversationState, limit: number): void {
    const open = [...tracked.list()].flatMap(([call, { answered }]) => (answered ? [] : [show(call)]))
    if (open.length === 0) return
    const calls =
      open.length > 3 ? `${open.slice(0, 3).join(', ')} and ${open.length - 3} more` : open.join(', ')
    const why = `${limit} are remembered, and another one began. Raise "maxConversations".`
    const message = `The conversation ${show(id)} was forgotten before results came for ${calls}: ${why}`
    withReport(this.#context.options, report => report('missing_result', [], message))
  }
}

/** A registry is used directly, so that tools registered later count. It may come from another copy of this library. */
function toRegistry(tools: Iterable<ToolSpec>): ToolRegistry {
  const isRegistry = 'list' in tools && typeof tools.list === 'function'
  return isRegistry ? (tools as ToolRegistry) : new ToolRegistry(tools)
}
