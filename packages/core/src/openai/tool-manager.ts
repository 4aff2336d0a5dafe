/** Tools between a program that thinks in Chat and a model on Responses, for any number of conversations. */

import { show } from '../json/json.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Host } from '../runtime/host.ts'
import { ToolRegistry } from '../runtime/tools/registry.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
import { LruMap } from './lru-map.ts'
import type { ConversationState, ManagerContext } from './tool-conversation.ts'
import { ToolConversation } from './tool-conversation.ts'
import { deliver } from './tool-formats.ts'
import { checkOptions, requireConversationId } from './tool-manager-checks.ts'
import type { ResultForm, ToolManagerOptions } from './tool-manager-types.ts'
import { TrackedCalls } from './tracked-calls.ts'

/** What a manager needs from the platform. */
export interface ManagerPlatform {
  readonly host: Host
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Its own methods act on one conversation, which belongs to this object alone. A program that serves several
 * asks for each by its id; they share the tools and the options, and never a call.
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

  /** The conversation of that name, with calls of its own. It begins when it is first used. */
  conversation(id: string): ToolConversation<Form> {
    const name = requireConversationId(id)
    return new ToolConversation(this.#context, () => this.#stateOf(name))
  }

  /** Ends a conversation; `false` when there was none of that name. */
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
    const { report, diagnostics } = createReport()
    const calls =
      open.length > 3 ? `${open.slice(0, 3).join(', ')} and ${open.length - 3} more` : open.join(', ')
    const why = `${limit} are remembered, and another one began. Raise "maxConversations".`
    report(
      'missing_result',
      [],
      `The conversation ${show(id)} was forgotten before results came for ${calls}: ${why}`,
    )
    deliver(diagnostics, this.#context.options)
  }
}

/** A registry is used as it is, so that tools registered later count. Known by what it can do: it may be another copy's. */
function toRegistry(tools: Iterable<ToolSpec>): ToolRegistry {
  const isRegistry = 'list' in tools && typeof tools.list === 'function'
  return isRegistry ? (tools as ToolRegistry) : new ToolRegistry(tools)
}
