/**
 * Undo: turns a call to an adapted tool into a call to the tool that the client declared. The text of the arguments
 * stays as it is, unless an adaptation added members that have to be removed again.
 */
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { mapNumbers, parseJson } from '../../json/text.ts'
import type { CallableTool, FunctionTool, Tool } from '../../model/tool.ts'
import { originOf } from '../shared/tools.ts'
import type { CallableIndex } from './callable-index.ts'
import { indexCallables, someCallable } from './callable-index.ts'
import { unwrapInput } from './input-unwrapper.ts'

/** A call to a function, with its arguments as JSON text. */
export interface FunctionCall {
  readonly kind: 'function'
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
}

/** A call to a free-text tool. */
export interface CustomCall {
  readonly kind: 'custom'
  readonly name: string
  readonly namespace?: string
  readonly input: string
  /** If the tool was sent as a function: what the model wrote instead of the object with one string. */
  readonly oddity?: string
  /** The free text breaks off, so that the call must not be run. */
  readonly isCut?: boolean
}

/** A call to a hosted tool that was sent to the model as a function. */
export interface HostedCall {
  readonly kind: 'hosted'
  /** The hosted tool's type, such as `local_shell`. */
  readonly type: string
  /** Which of several tools of the type, such as the label of an MCP server. */
  readonly label?: string
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
  /** Your handler runs it, not the client. */
  readonly handled: boolean
}

export function functionCall(name: string, namespace: string | undefined, args: string): FunctionCall {
  if (namespace === undefined) return { kind: 'function', name, arguments: args }
  return { kind: 'function', name, namespace, arguments: args }
}

export function customCall(name: string, namespace: string | undefined, input: string): CustomCall {
  return namespace === undefined
    ? { kind: 'custom', name, input }
    : { kind: 'custom', name, namespace, input }
}

/** The way back: turns calls to adapted tools into calls to the tools that the client declared. */
export interface CallUndo {
  /** A call to a tool that was not adapted, or not declared, is returned unchanged. */
  restoreCall(call: FunctionCall | CustomCall): FunctionCall | CustomCall | HostedCall
  /** True if the call's arguments can be restored only when they are complete. */
  rewritesArguments(call: {
    readonly form: 'function' | 'custom'
    readonly name: string
    readonly namespace?: string
  }): boolean
  /** True if any tool differs from what the client declared. */
  readonly adapts: boolean
  /** Every name that the model can call, as sent to the target. */
  readonly declared: ReadonlySet<string>
}

export function createCallUndo(tools: readonly Tool[]): CallUndo {
  return new ToolUndo(tools)
}

/** The index is created when the first call arrives. The methods are bound, so that they can be passed on. */
class ToolUndo implements CallUndo {
  readonly #tools: readonly Tool[]
  #index: CallableIndex | undefined
  #declared: ReadonlySet<string> | undefined

  constructor(tools: readonly Tool[]) {
    this.#tools = tools
  }

  get #callables(): CallableIndex {
    this.#index ??= indexCallables(this.#tools)
    return this.#index
  }

  get adapts(): boolean {
    return someCallable(this.#tools, isAdapted) && this.#callables.all.some(isAdapted)
  }

  get declared(): ReadonlySet<string> {
    this.#declared ??= new Set(this.#callables.all.map(({ name }) => name))
    return this.#declared
  }

  readonly rewritesArguments: CallUndo['rewritesArguments'] = ({ form, name, namespace }) => {
    const tool = this.#callables.find(form, name, namespace)
    return tool?.kind === 'function' && (tool.undoArguments ?? tool.wrappedIn) !== undefined
  }

  readonly restoreCall: CallUndo['restoreCall'] = call => {
    const { kind, name, namespace } = call
    const tool = this.#callables.find(kind, name, namespace)
    if (tool === undefined) return call
    return restore(call, this.#callables.isEcho(kind, name, namespace) ? undefined : namespace, tool)
  }
}

function isAdapted(tool: CallableTool): boolean {
  return tool.origin !== undefined || 'undoArguments' in tool || 'wrappedIn' in tool
}

function restore(
  call: FunctionCall | CustomCall,
  calledNamespace: string | undefined,
  tool: CallableTool,
): FunctionCall | CustomCall | HostedCall {
  const origin = originOf(tool)
  const namespace = origin.namespace ?? calledNamespace
  if (call.kind === 'custom') return customCall(origin.name, namespace, call.input)
  const args = tool.kind === 'function' ? undoArguments(call.arguments, tool) : call.arguments
  switch (origin.kind) {
    case 'function':
      return functionCall(origin.name, namespace, args)
    case 'custom':
      return { ...customCall(origin.name, namespace, ''), ...unwrapInput(args, origin.name) }
    case 'hosted': {
      const { name, type = name, label, handled = false } = origin
      return {
        kind: 'hosted',
        type,
        name,
        ...(namespace !== undefined && { namespace }),
        ...(label !== undefined && { label }),
        arguments: args,
        handled,
      }
    }
  }
}

/**
 * Removes the members that strict mode added, and takes wrapped arguments out of their object. All other values stay
 * exact: numbers that JavaScript cannot represent are replaced by marked strings before parsing and put back afterwards.
 */
function undoArguments(text: string, { undoArguments: undo, wrappedIn }: FunctionTool): string {
  const parsed = undo === undefined && wrappedIn === undefined ? undefined : parseJson(text)
  if (parsed === undefined) return text
  const undone = undo === undefined ? parsed : undo(parsed)
  const isWrapped = wrappedIn !== undefined && isObject(undone) && isOnlyKey(undone, wrappedIn)
  if (undone === parsed && !isWrapped) return text
  const { guarded, release } = guardNumbers(text)
  const exact = parseJson(guarded)
  removeMissing(exact, parsed, undone)
  return release(JSON.stringify(isWrapped && isObject(exact) ? exact[wrappedIn] : exact))
}

/** A model that has ignored the wrapper wrote the arguments themselves. */
function isOnlyKey(args: JsonObject, key: string): boolean {
  return Object.hasOwn(args, key) && Object.keys(args).length === 1
}

/** Deletes from `target` the keys that `before` has and `after` lacks. Only changed branches are visited. */
function removeMissing(target: unknown, before: unknown, after: unknown): void {
  if (before === after || typeof before !== 'object' || before === null) return
  for (const key of Object.keys(before)) {
    const inner = (value: unknown): unknown => (value as Record<string, unknown>)[key]
    if (Object.hasOwn(after as object, key)) removeMissing(inner(target), inner(before), inner(after))
    else delete (target as Record<string, unknown>)[key]
  }
}

/** Replaces number literals (outside strings) that parsing would change by marked strings. */
function guardNumbers(text: string): { guarded: string; release(json: string): string } {
  const exactNumbers: string[] = []
  // Longer than any run of colons in the text, escaped or not, so that the mark does not occur there.
  const longest = (text.match(/(?::|\\u003a)+/gi) ?? []).reduce(
    (most, { length }) => Math.max(most, length),
    0,
  )
  const mark = `number${':'.repeat(longest + 1)}`
  const guarded = mapNumbers(text, token => {
    if (String(Number(token)) === token) return token
    exactNumbers.push(token)
    return `"${mark}${exactNumbers.length - 1}"`
  })
  const release = (json: string): string =>
    json.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (whole, index) => exactNumbers[Number(index)] ?? whole)
  return { guarded, release }
}
