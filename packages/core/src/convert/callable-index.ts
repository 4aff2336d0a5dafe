/** Finds the tool that a model has called, by the names under which the target knows the tools. */
import type { CustomTool, FunctionTool, Tool } from '../model/tool.ts'
import { callableKey } from './callable-key.ts'

export type Callable = FunctionTool | CustomTool

export interface CallableIndex {
  readonly all: readonly Callable[]
  /** `undefined` for a tool nobody declared, and for a bare name that could mean several. */
  find(kind: Callable['kind'], name: string, namespace?: string): Callable | undefined
  /** Responses gives a deferred tool a namespace of its own name. */
  isEcho(kind: Callable['kind'], name: string, namespace?: string): boolean
}

/** Whether any tool that can be called is so, also one that another hides by its name. */
export function someCallable(tools: readonly Tool[], test: (tool: Callable) => boolean): boolean {
  return tools.some(tool => {
    if (tool.kind === 'namespace') return someCallable(tool.tools, test)
    return (tool.kind === 'function' || tool.kind === 'custom') && test(tool)
  })
}

export function indexCallables(tools: readonly Tool[]): CallableIndex {
  const byName = new Map<string, Callable>()
  // Models sometimes call a namespaced tool by its bare name: good enough when only one can be meant.
  const byBareName = new Map<string, Callable | 'ambiguous'>()
  const add = (tool: Tool, namespace?: string): void => {
    if (tool.kind === 'namespace') for (const inner of tool.tools) add(inner, tool.name)
    if (tool.kind !== 'function' && tool.kind !== 'custom') return
    const key = callableKey(tool.kind, tool.name, namespace)
    if (!byName.has(key)) byName.set(key, tool)
    if (tool.origin?.namespace === undefined) return
    const bare = callableKey(tool.kind, tool.origin.name)
    byBareName.set(bare, byBareName.has(bare) ? 'ambiguous' : tool)
  }
  for (const tool of tools) add(tool)
  const lookUp = (key: string): Callable | 'ambiguous' | undefined => byName.get(key) ?? byBareName.get(key)
  const isEcho = (kind: Callable['kind'], name: string, namespace?: string): boolean =>
    namespace === name && lookUp(callableKey(kind, name, namespace)) === undefined
  return {
    all: [...byName.values()],
    isEcho,
    find(kind, name, namespace) {
      const isBare = isEcho(kind, name, namespace)
      const found = lookUp(isBare ? callableKey(kind, name) : callableKey(kind, name, namespace))
      return found === 'ambiguous' ? undefined : found
    },
  }
}
