/**
 * The way back: a call the model made to an adapted tool, as the client that declared the tool knows it.
 * Argument text passes verbatim unless an adaptation put something into it that must come out again.
 */
import { isObject, mapNumbers, own } from '../model/json.ts'
import type { FunctionTool, Tool } from '../model/tool.ts'
import { originOf } from './adapt/context.ts'
import type { Callable } from './callable-index.ts'
import { indexCallables } from './callable-index.ts'
import { unwrapBeginning } from './input-unwrapper.ts'

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
  /** Which of several, such as the MCP server. */
  readonly label?: string
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
  /** A handler of the caller's runs it, and not the client. */
  readonly handled: boolean
}

export interface CallUndo {
  /** A call to a tool that was never adapted, or never declared, comes back as it is. */
  restoreCall(call: FunctionCall | CustomCall): FunctionCall | CustomCall | HostedCall
  /** Whether the call's arguments can be restored only when they are complete. */
  rewritesArguments(call: {
    readonly form: 'function' | 'custom'
    readonly name: string
    readonly namespace?: string
  }): boolean
  /** Whether any tool looks other than the client declared it. */
  readonly adapts: boolean
  /** Every name a model can call, as the target knows it. */
  readonly declared: ReadonlySet<string>
}

export function createCallUndo(tools: readonly Tool[]): CallUndo {
  const { all, find, isEcho } = indexCallables(tools)
  return {
    adapts: all.some(tool => tool.origin !== undefined || 'undoArguments' in tool),
    declared: new Set(all.map(({ name }) => name)),
    rewritesArguments({ form, name, namespace }) {
      const tool = find(form, name, namespace)
      return tool?.kind === 'function' && tool.undoArguments !== undefined
    },
    restoreCall(call) {
      const tool = find(call.kind, call.name, call.namespace)
      if (tool === undefined) return call
      const { namespace: _, ...bare } = call
      return restore(isEcho(call.kind, call.name, call.namespace) ? bare : call, tool)
    },
  }
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
      const { name, type = name, label, handled = false } = origin
      return {
        kind: 'hosted',
        type,
        ...where,
        ...(label !== undefined && { label }),
        arguments: args,
        handled,
      }
    }
  }
}

/**
 * Takes the synthetic members out of the text. Everything else keeps its value to the last digit: numbers that
 * JavaScript cannot hold are set aside before parsing and put back after.
 */
function undoArguments(text: string, undo: FunctionTool['undoArguments']): string {
  const parsed = undo === undefined ? undefined : parse(text)
  if (undo === undefined || parsed === undefined) return text
  const undone = undo(parsed)
  if (undone === parsed) return text
  const { guarded, release } = guardNumbers(text)
  const exact = parse(guarded)
  removeMissing(exact, parsed, undone)
  return release(JSON.stringify(exact))
}

/** Deletes from `target` what `before` has and `after` has not. Only changed branches are entered. */
function removeMissing(target: unknown, before: unknown, after: unknown): void {
  if (before === after || typeof before !== 'object' || before === null) return
  for (const key of Object.keys(before)) {
    const inner = (value: unknown): unknown => (value as Record<string, unknown>)[key]
    if (Object.hasOwn(after as object, key)) removeMissing(inner(target), inner(before), inner(after))
    else delete (target as Record<string, unknown>)[key]
  }
}

/** Replaces number literals that would change by being read, outside of strings, by marked texts. */
function guardNumbers(text: string): { guarded: string; release(json: string): string } {
  const kept: string[] = []
  let mark = 'number:'
  while (text.includes(mark)) mark += ':'
  const guarded = mapNumbers(text, token => {
    if (String(Number(token)) === token) return token
    kept.push(token)
    return `"${mark}${kept.length - 1}"`
  })
  const release = (json: string): string =>
    json.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (whole, index) => kept[Number(index)] ?? whole)
  return { guarded, release }
}

/** A model that was cut off wrote a part of the input; one that ignored the wrapping wrote the input itself. */
function unwrapInput(text: string): string {
  const parsed = parse(text)
  const input = isObject(parsed) ? own(parsed, 'input') : undefined
  if (typeof input === 'string') return input
  return (parsed === undefined ? unwrapBeginning(text) : undefined) ?? text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
