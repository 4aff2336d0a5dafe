/** Finds the tool that a model has called, by the names under which the target knows the tools. */
import type { CustomTool, FunctionTool, Tool } from '../model/tool.ts'

export type Callable = FunctionTool | CustomTool

export interface CallableIndex {
  readonly all: readonly Callable[]
  /** `undefined` for a tool nobody declared, and for a bare name that could mean several. */
  find(kind: Callable['kind'], name: string, namespace?: string): Callable | undefined
  /** Responses gives a deferred tool a namespace of its own name. */
  isEcho(kind: Callable['kind'], name: string, namespace?: string): boolean
}

export function indexCallables(tools: readonly Tool[]): CallableIndex {
  const byName = new Map<string, Callable>()
  // Models sometimes call a namespaced tool by its bare name: good enough when only one can be meant.
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
  const lookUp = (key: string): Callable | 'ambiguous' | undefined => byName.get(key) ?? byBareName.get(key)
  const isEcho = (kind: Callable['kind'], name: string, namespace?: string): boolean =>
    namespace === name && lookUp(keyOf(kind, name, namespace)) === undefined
  return {
    all: [...byName.values()],
    isEcho,
    find(kind, name, namespace) {
      const found = lookUp(isEcho(kind, name, namespace) ? keyOf(kind, name) : keyOf(kind, name, namespace))
      return found === 'ambiguous' ? undefined : found
    },
  }
}

function keyOf(kind: Callable['kind'], name: string, namespace?: string): string {
  return JSON.stringify([kind, name, namespace])
}
