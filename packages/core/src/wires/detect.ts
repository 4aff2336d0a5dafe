/** Guesses which wire a list of tools, or a request body, was written for. */
import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import type { Wire } from '../model/wire.ts'

/** The wire most of the tools look like, or `undefined` when nothing tells. */
export function detectWire(value: unknown): Wire | undefined {
  if (Array.isArray(value)) return mostVotes(value)
  if (!isObject(value)) return undefined
  if (own(value, 'input') !== undefined || own(value, 'instructions') !== undefined) return 'responses'
  if (own(value, 'functions') !== undefined || own(value, 'function_call') !== undefined) return 'chat'
  const tools = own(value, 'tools')
  const byTools = Array.isArray(tools) ? mostVotes(tools) : undefined
  if (byTools !== undefined) return byTools
  if (own(value, 'system') !== undefined) return 'messages'
  const messages = own(value, 'messages')
  if (!Array.isArray(messages)) return undefined
  return messages.some(holdsBlocks) ? 'messages' : 'chat'
}

const blocks: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'image',
  'document',
])

/** A message with blocks that only Messages has. */
function holdsBlocks(message: unknown): boolean {
  const content = isObject(message) ? own(message, 'content') : undefined
  return Array.isArray(content) && content.some(block => isObject(block) && blocks.has(own(block, 'type')))
}

function mostVotes(tools: readonly unknown[]): Wire | undefined {
  const votes = { chat: 0, responses: 0, messages: 0 }
  for (const tool of tools) {
    const wire = isObject(tool) ? wireOfTool(tool) : undefined
    if (wire !== undefined) votes[wire]++
  }
  const [best] = (Object.entries(votes) as [Wire, number][]).sort(([, a], [, b]) => b - a)
  return best !== undefined && best[1] > 0 ? best[0] : undefined
}

function wireOfTool(tool: JsonObject): Wire | undefined {
  const type = own(tool, 'type')
  if (isObject(own(tool, 'function')) || isObject(own(tool, 'custom'))) return 'chat'
  if (own(tool, 'input_schema') !== undefined) return 'messages'
  if (typeof type === 'string' && /_\d{8}$/.test(type)) return 'messages'
  if (typeof type === 'string') return 'responses'
  // A bare function is what Chat's deprecated `functions` held.
  return own(tool, 'name') === undefined ? undefined : 'chat'
}
