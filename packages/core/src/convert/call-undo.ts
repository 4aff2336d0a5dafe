/**
 * The way back: a call the model made to an adapted tool, as the client that declared the tool knows it.
 * Argument text passes verbatim unless an adaptation put something into it that must come out again.
 */
import { isObject, own } from '../model/json.ts'
import type { FunctionTool, Tool, ToolOrigin } from '../model/tool.ts'
import { originOf } from './adapt/context.ts'

export interface ToolCall {
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
}

export type RestoredCall =
  | {
      readonly kind: 'function'
      readonly name: string
      readonly namespace?: string
      readonly arguments: string
    }
  | { readonly kind: 'custom'; readonly name: string; readonly namespace?: string; readonly input: string }
  | {
      readonly kind: 'hosted'
      /** The hosted tool's type, such as `local_shell`. */
      readonly type: string
      readonly name: string
      readonly arguments: string
      /** A handler of the caller's runs it, and not the client. */
      readonly handled: boolean
    }

export interface CallUndo {
  /** A call to a tool that was never adapted, or never declared, comes back as it is. */
  restoreCall(call: ToolCall): RestoredCall
}

export function createCallUndo(tools: readonly Tool[]): CallUndo {
  const byName = new Map<string, FunctionTool>()
  const byBareName = new Map<string, FunctionTool | undefined>()
  for (const tool of tools) {
    if (tool.kind !== 'function') continue
    if (!byName.has(tool.name)) byName.set(tool.name, tool)
    const bare = tool.origin?.namespace === undefined ? undefined : tool.origin.name
    // Models sometimes call a namespaced tool by its bare name: good enough when only one can be meant.
    if (bare !== undefined) byBareName.set(bare, byBareName.has(bare) ? undefined : tool)
  }
  return {
    restoreCall(call) {
      if (call.namespace !== undefined) return { kind: 'function', ...call }
      const tool = byName.get(call.name) ?? byBareName.get(call.name)
      return tool === undefined ? { kind: 'function', ...call } : restore(call, tool, originOf(tool))
    },
  }
}

function restore(call: ToolCall, tool: FunctionTool, origin: ToolOrigin): RestoredCall {
  const args = undoArguments(call.arguments, tool.undoArguments)
  const { name, namespace } = origin
  const where = namespace === undefined ? { name } : { name, namespace }
  switch (origin.kind) {
    case 'function':
      return { kind: 'function', ...where, arguments: args }
    case 'custom':
      return { kind: 'custom', ...where, input: unwrapInput(args) }
    case 'hosted':
      return {
        kind: 'hosted',
        type: origin.type ?? name,
        name,
        arguments: args,
        handled: origin.handled ?? false,
      }
  }
}

function undoArguments(text: string, undo: FunctionTool['undoArguments']): string {
  if (undo === undefined) return text
  const parsed = parse(text)
  if (parsed === undefined) return text
  const undone = undo(parsed)
  return undone === parsed ? text : JSON.stringify(undone)
}

/** A model that ignored the wrapping wrote the input itself; then the text is the input. */
function unwrapInput(text: string): string {
  const parsed = parse(text)
  const input = isObject(parsed) ? own(parsed, 'input') : undefined
  return typeof input === 'string' ? input : text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
