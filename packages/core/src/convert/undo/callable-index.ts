/** Finds the tool that the model called, by the name that was sent to the target. */
import { type CallableTool, isCallable, type Tool } from '../../model/tool.ts'
import { CallableMap } from '../shared/callable-map.ts'

export interface CallableIndex {
  readonly all: readonly CallableTool[]
  /** `undefined` for an undeclared tool, and for a bare name that several namespaces have. */
  find(kind: CallableTool['kind'], name: string, namespace?: string): CallableTool | undefined
  /** True if the namespace only repeats the name: Responses does this for deferred tools. */
  isEcho(kind: CallableTool['kind'], name: string, namespace?: string): boolean
}

type LookUp = (kind: string, name: string, namespace?: string) => CallableTool | 'ambiguous' | undefined

/** True if the predicate holds for any callable tool, including shadowed ones. */
export function someCallable(tools: readonly Tool[], test: (tool: CallableTool) => boolean): boolean {
  return tools.some(tool => {
    if (tool.kind === 'namespace') return someCallable(tool.tools, test)
    return isCallable(tool) && test(tool)
  })
}

export function indexCallables(tools: readonly Tool[]): CallableIndex {
  const all: CallableTool[] = []
  const byName = new CallableMap<CallableTool>()
  // Models sometimes call a namespaced tool by its bare name, which is enough if only one tool has it.
  const byBareName = new CallableMap<CallableTool | 'ambiguous'>()
  const add = (tool: Tool, namespace?: string): void => {
    if (tool.kind === 'namespace') for (const inner of tool.tools) add(inner, tool.name)
    if (!isCallable(tool)) return
    if (byName.get(tool.kind, tool.name, namespace) === undefined) {
      all.push(tool)
      byName.set(tool, tool.kind, tool.name, namespace)
    }
    if (tool.origin?.namespace === undefined) return
    const { name } = tool.origin
    byBareName.set(byBareName.get(tool.kind, name) === undefined ? tool : 'ambiguous', tool.kind, name)
  }
  for (const tool of tools) add(tool)
  const lookUp: LookUp = (kind, name, namespace) =>
    byName.get(kind, name, namespace) ?? byBareName.get(kind, name, namespace)
  const isEcho: CallableIndex['isEcho'] = (kind, name, namespace) =>
    namespace === name && lookUp(kind, name, namespace) === undefined
  return {
    all,
    isEcho,
    find(kind, name, namespace) {
      const found = lookUp(kind, name, isEcho(kind, name, namespace) ? undefined : namespace)
      return found === 'ambiguous' ? undefined : found
    },
  }
}
