import type { Tool, ToolRef } from '../../model/tool.ts'
import { originOf } from './context.ts'

/** Looks tools up by the name the client knows them by. */
export function indexTools(tools: readonly Tool[]): (ref: ToolRef) => Tool | undefined {
  const exact = new Map<string, Tool>()
  const bare = new Map<string, Tool | 'ambiguous'>()
  for (const { tool, group } of withGroups(tools)) {
    const origin = originOf(tool)
    if (origin === undefined) continue
    const namespace = origin.namespace ?? group
    // Messages names hosted tools like any other, so a plain reference may mean one.
    const kinds = origin.kind === 'hosted' ? ['function', 'custom'] : [origin.kind]
    if (origin.type !== undefined) setFirst(exact, key('hosted', origin.type, undefined), tool)
    for (const kind of kinds) {
      setFirst(exact, key(kind, origin.name, namespace), tool)
      const alone = key(kind, origin.name, undefined)
      bare.set(alone, bare.has(alone) ? 'ambiguous' : tool)
    }
  }
  return ref => {
    const found = exact.get(key(ref.kind, ref.name, ref.namespace))
    if (found !== undefined) return ref.definition?.server_label === undefined ? found : undefined
    // A bare name means a namespaced tool only when no other could be meant.
    const loose = ref.namespace === undefined ? bare.get(key(ref.kind, ref.name, undefined)) : undefined
    return loose === 'ambiguous' ? undefined : loose
  }
}

function withGroups(tools: readonly Tool[]): { tool: Tool; group?: string }[] {
  return tools.flatMap<{ tool: Tool; group?: string }>(tool =>
    tool.kind === 'namespace' ? tool.tools.map(inner => ({ tool: inner, group: tool.name })) : [{ tool }],
  )
}

function key(kind: string, name: string, namespace: string | undefined): string {
  return JSON.stringify([kind, name, namespace])
}

function setFirst<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name)) map.set(name, value)
}
