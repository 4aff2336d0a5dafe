/** Finds tools by the names that the client declared them with. */
import type { Tool, ToolRef } from '../../../model/tool.ts'
import { CallableMap } from '../../shared/callable-map.ts'
import { originOf } from '../../shared/tools.ts'

export function indexTools(tools: readonly Tool[]): (ref: ToolRef) => Tool | undefined {
  const exact = new CallableMap<Tool>()
  const bare = new CallableMap<Tool | 'ambiguous'>()
  const hostedByName = new Map<string, Tool>()
  const add = (tool: Tool, group?: string): void => {
    const origin = originOf(tool)
    if (origin === undefined) return
    if (origin.kind === 'hosted') {
      const family = tool.kind === 'hosted' ? tool.family : (origin.family ?? '')
      // Labels distinguish tools of one family, as namespaces distinguish callable tools.
      exact.setFirst(tool, 'hosted', family, origin.label)
      if (!hostedByName.has(origin.name)) hostedByName.set(origin.name, tool)
      return
    }
    const { kind, name, namespace = group } = origin
    exact.setFirst(tool, kind, name, namespace)
    bare.set(bare.get(kind, name) === undefined ? tool : 'ambiguous', kind, name)
  }
  for (const tool of tools) {
    if (tool.kind !== 'namespace') add(tool)
    else for (const inner of tool.tools) add(inner, tool.name)
  }
  return ref => {
    if (ref.kind === 'hosted') return exact.get('hosted', ref.family ?? ref.name, ref.label)
    const found = exact.get(ref.kind, ref.name, ref.namespace)
    if (found !== undefined || ref.namespace !== undefined) return found
    // A bare name refers to a namespaced tool only if it is unambiguous.
    const loose = bare.get(ref.kind, ref.name)
    if (loose !== undefined) return loose === 'ambiguous' ? undefined : loose
    // On Messages hosted tools have names too. A callable tool of that name was found above.
    return ref.namesHosted ? hostedByName.get(ref.name) : undefined
  }
}
