/** Looks tools up by the name under which the client knows them. */
import type { Tool, ToolRef } from '../../model/tool.ts'
import { callableKey } from '../callable-key.ts'
import { originOf } from './context.ts'

export function indexTools(tools: readonly Tool[]): (ref: ToolRef) => Tool | undefined {
  const exact = new Map<string, Tool>()
  const bare = new Map<string, Tool | 'ambiguous'>()
  const hostedByName = new Map<string, Tool>()
  const add = (tool: Tool, group?: string): void => {
    const origin = originOf(tool)
    if (origin === undefined) return
    if (origin.kind === 'hosted') {
      const family = tool.kind === 'hosted' ? tool.family : (origin.family ?? '')
      setFirst(exact, hostedKey(family, origin.label), tool)
      setFirst(hostedByName, origin.name, tool)
      return
    }
    setFirst(exact, callableKey(origin.kind, origin.name, origin.namespace ?? group), tool)
    const alone = callableKey(origin.kind, origin.name)
    bare.set(alone, bare.has(alone) ? 'ambiguous' : tool)
  }
  for (const tool of tools) {
    if (tool.kind !== 'namespace') add(tool)
    else for (const inner of tool.tools) add(inner, tool.name)
  }
  return ref => {
    if (ref.kind === 'hosted') return exact.get(hostedKey(ref.family ?? ref.name, ref.label))
    const found = exact.get(callableKey(ref.kind, ref.name, ref.namespace))
    if (found !== undefined || ref.namespace !== undefined) return found
    // A bare name means a namespaced tool only when no other could be meant.
    const loose = bare.get(callableKey(ref.kind, ref.name))
    if (loose !== undefined) return loose === 'ambiguous' ? undefined : loose
    // Messages names hosted tools like any other; a tool that is really called so has been found before.
    return ref.namesHosted ? hostedByName.get(ref.name) : undefined
  }
}

/** Hosted tools of one family are told apart by their labels, as callable ones are by their namespaces. */
function hostedKey(family: string, label: string | undefined): string {
  return callableKey('hosted', family, label)
}

function setFirst<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name)) map.set(name, value)
}
