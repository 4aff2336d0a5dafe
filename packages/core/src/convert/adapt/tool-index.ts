/** Looks tools up by the name under which the client knows them. */
import type { Tool, ToolRef } from '../../model/tool.ts'
import { originOf } from './context.ts'

export function indexTools(tools: readonly Tool[]): (ref: ToolRef) => Tool | undefined {
  const exact = new Map<string, Tool>()
  const bare = new Map<string, Tool | 'ambiguous'>()
  const hostedByName = new Map<string, Tool>()
  for (const { tool, group } of withGroups(tools)) {
    const origin = originOf(tool)
    if (origin === undefined) continue
    if (origin.kind === 'hosted') {
      const family = tool.kind === 'hosted' ? tool.family : (origin.family ?? '')
      setFirst(exact, hostedKey(family, origin.label), tool)
      setFirst(hostedByName, origin.name, tool)
      continue
    }
    setFirst(exact, key(origin.kind, origin.name, origin.namespace ?? group), tool)
    const alone = key(origin.kind, origin.name)
    bare.set(alone, bare.has(alone) ? 'ambiguous' : tool)
  }
  return ref => {
    if (ref.kind === 'hosted') return exact.get(hostedKey(ref.family ?? ref.name, ref.label))
    const found = exact.get(key(ref.kind, ref.name, ref.namespace))
    if (found !== undefined || ref.namespace !== undefined) return found
    // A bare name means a namespaced tool only when no other could be meant.
    const loose = bare.get(key(ref.kind, ref.name))
    if (loose !== undefined) return loose === 'ambiguous' ? undefined : loose
    // Messages names hosted tools like any other; a tool that is really called so has been found before.
    return ref.namesHosted ? hostedByName.get(ref.name) : undefined
  }
}

function withGroups(tools: readonly Tool[]): { tool: Tool; group?: string }[] {
  return tools.flatMap<{ tool: Tool; group?: string }>(tool =>
    tool.kind === 'namespace' ? tool.tools.map(inner => ({ tool: inner, group: tool.name })) : [{ tool }],
  )
}

function key(kind: string, name: string, namespace?: string): string {
  return JSON.stringify([kind, name, namespace])
}

function hostedKey(family: string, label: string | undefined): string {
  return JSON.stringify(['hosted', family, label])
}

function setFirst<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name)) map.set(name, value)
}
