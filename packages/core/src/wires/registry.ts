/** The built-in wires by name. Only this file maps a wire's name to its definition. */
import { show } from '../json/text.ts'
import { chatConversation } from './chat/conversation.ts'
import { chat } from './chat/index.ts'
import { chatTools } from './chat/tools/index.ts'
import type { ToolFormat, WireConversation, WireDefinition, WireTools } from './define-wire.ts'
import { mcpTools } from './kit/mcp-tools.ts'
import { messagesConversation } from './messages/conversation.ts'
import { messages } from './messages/index.ts'
import { messagesTools } from './messages/tools/index.ts'
import { responsesConversation } from './responses/conversation.ts'
import { responses } from './responses/index.ts'
import { responsesTools } from './responses/tools/index.ts'

/** The names of the wires that are built in. */
export type BuiltInWire = 'chat' | 'responses' | 'messages'

/** A wire as options take it: a built-in one by name, or the definition of any. */
export type Wire = BuiltInWire | WireDefinition

// One table for each facet, so that a bundle that needs only tools does not carry the rest.
export const builtInTools: { readonly [W in BuiltInWire]: WireTools } = {
  chat: chatTools,
  responses: responsesTools,
  messages: messagesTools,
}

export const builtInConversations: { readonly [W in BuiltInWire]: WireConversation } = {
  chat: chatConversation,
  responses: responsesConversation,
  messages: messagesConversation,
}

/** The built-in wires by name. */
export const builtInWires: { readonly [W in BuiltInWire]: WireDefinition<W> } = { chat, responses, messages }

export const wireNames: readonly BuiltInWire[] = ['chat', 'responses', 'messages']

/** The facet of tools of the wire that an option names; a wrong name is a mistake in the program and is thrown. */
export function toolsOf(wire: Wire, option: string): WireTools {
  return typeof wire === 'string' ? lookUp(builtInTools, wire, option) : checked(wire, option).tools
}

/** The same for tools that are only read: MCP's are not a wire. */
export function toolFormatOf(source: Wire | 'mcp', option: string): ToolFormat {
  return source === 'mcp' ? mcpTools : toolsOf(source, option)
}

export function conversationOf(wire: Wire, option: string): WireConversation {
  return typeof wire === 'string'
    ? lookUp(builtInConversations, wire, option)
    : checked(wire, option).conversation
}

function lookUp<T>(table: { readonly [name: string]: T }, name: string, option: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined
  if (found !== undefined) return found
  throw wrongWire(name, option)
}

function checked(wire: WireDefinition, option: string): WireDefinition {
  if (typeof wire === 'object' && wire !== null && wire.conversation !== undefined) return wire
  throw wrongWire(wire, option)
}

function wrongWire(wire: unknown, option: string): TypeError {
  return new TypeError(`"${option}" must be one of ${wireNames.join(', ')}; got ${show(wire)}.`)
}
