/** The facet that an entry point needs: given alone, or as part of a complete definition. */
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { ToolFormat, WireConversation, WireDefinition, WireTools } from './define-wire.ts'

export type ToolsLike = WireTools | Pick<WireDefinition, 'tools'>
export type ConversationLike = WireConversation | Pick<WireDefinition, 'conversation'>

export function toolsFacet(wire: ToolsLike, option: string): WireTools {
  const facet = toolFormat(wire, option)
  if ('encodeTool' in facet) return facet as WireTools
  throw wrong(wire, option)
}

/** A facet of tools, or the half of one that decodes. */
export function toolFormat(wire: ToolsLike | ToolFormat, option: string): ToolFormat {
  const facet: unknown = isObject(wire) && 'tools' in wire ? wire.tools : wire
  if (isObject(facet) && 'decodeTool' in facet) return facet as unknown as ToolFormat
  throw wrong(wire, option)
}

export function conversationFacet(wire: ConversationLike, option: string): WireConversation {
  const facet: unknown = isObject(wire) && 'conversation' in wire ? wire.conversation : wire
  if (isObject(facet) && 'decodeRequest' in facet) return facet as unknown as WireConversation
  throw wrong(wire, option)
}

function wrong(wire: unknown, option: string): TypeError {
  return new TypeError(
    `"${option}" must be the definition of a wire, such as "chat" of this entry point; got ${show(wire)}. ` +
      'Names are taken by @toolwire/core.',
  )
}
