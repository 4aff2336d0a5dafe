/**
 * The way back: a call the model made to an adapted tool, as the client that declared the tool knows it.
 * Argument text passes verbatim unless an adaptation put something into it that must come out again.
 */
import { isObject, own } from '../model/json.ts'
import type { CustomTool, FunctionTool, Tool } from '../model/tool.ts'
import { originOf } from './adapt/context.ts'

export interface FunctionCall {
  readonly kind: 'function'
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
}

export interface CustomCall {
  readonly kind: 'custom'
  readonly name: string
  readonly namespace?: string
  readonly input: string
}

/** A call to a hosted tool that was shown to the model as a function. */
export interface HostedCall {
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
  restoreCall(call: FunctionCall | CustomCall): FunctionCall | CustomCall | HostedCall
}

type Callable = FunctionTool | CustomTool

export function createCallUndo(tools: readonly Tool[]): CallUndo {
  const byName = new Map<string, Callable>()
  const byBareName = new Map<string, Callable | 'ambiguous'>()
  const add = (tool: Tool, namespace?: string): void => {
    if (tool.kind === 'namespace') for (const inner of tool.tools) add(inner, tool.name)
    if (tool.kind !== 'function' && tool.kind !== 'custom') return
    const key = keyOf(tool.kind, tool.name, namespace)
    if (!byName.has(key)) byName.set(key, tool)
    if (tool.origin?.namespace === undefined) return
    const bare = keyOf(tool.kind, tool.origin.name)
    byBareName.set(bare, byBareName.has(bare) ? 'ambiguous' : tool)
  }
  for (const tool of tools) add(tool)
  return {
    restoreCall(call) {
      const key = keyOf(call.kind, call.name, call.namespace)
      // Models sometimes call a namespaced tool by its bare name: good enough when only one can be meant.
      const tool = byName.get(key) ?? byBareName.get(key)
      return tool === undefined || tool === 'ambiguous' ? call : restore(call, tool)
    },
  }
}

function keyOf(kind: Callable['kind'], name: string, namespace?: string): string {
  return JSON.stringify([kind, name, namespace])
}

function restore(call: FunctionCall | CustomCall, tool: Callable): FunctionCall | CustomCall | HostedCall {
  const origin = originOf(tool)
  const namespace = origin.namespace ?? call.namespace
  const where = namespace === undefined ? { name: origin.name } : { name: origin.name, namespace }
  if (call.kind === 'custom') return { kind: 'custom', ...where, input: call.input }
  const args = undoArguments(call.arguments, tool.kind === 'function' ? tool.undoArguments : undefined)
  switch (origin.kind) {
    case 'function':
      return { kind: 'function', ...where, arguments: args }
    case 'custom':
      return { kind: 'custom', ...where, input: unwrapInput(args) }
    case 'hosted': {
      const { name, type = name, handled = false } = origin
      return { kind: 'hosted', type, name, arguments: args, handled }
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
