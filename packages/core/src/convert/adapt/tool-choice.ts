/** `tool_choice` follows its tools: renamed, wrapped, emulated, or gone. */
import type { Report } from '../../model/diagnostic.ts'
import type { Tool, ToolChoice, ToolParams, ToolRef } from '../../model/tool.ts'
import type { AdaptContext } from './context.ts'
import { originOf } from './context.ts'

export function adaptToolChoice(
  params: ToolParams,
  declared: readonly Tool[],
  context: AdaptContext,
): ToolParams {
  const { choice } = params
  if (choice === undefined) return params
  const { choice: _, ...rest } = params
  const { report, profile, sameWire } = context
  if (!sameWire && (params.tools === undefined || params.tools.length === 0)) {
    const free = choice.mode === 'auto' || choice.mode === 'none'
    const code = free ? 'tool_choice_without_tools' : 'tool_choice_dropped'
    report(code, choice.path, 'No tools are left to choose from; the choice was left out.')
    return rest
  }
  if (choice.mode === 'opaque') {
    if (sameWire) return params
    report('tool_choice_dropped', choice.path, 'The choice could not be read; the model chooses freely.')
    return rest
  }
  const follow = createFollower(params.tools ?? [], declared, context)
  if (choice.mode === 'tool') {
    const tool = follow(choice.tool)
    return tool === undefined ? rest : { ...rest, choice: { ...choice, tool } }
  }
  if (choice.mode !== 'allowed') return params
  const tools = choice.tools.map(follow).filter(ref => ref !== undefined)
  if (tools.length === 0 && choice.tools.length > 0)
    return { ...rest, choice: { mode: 'none', path: choice.path } }
  const allowed = { ...choice, tools }
  return profile.allowedTools
    ? { ...rest, choice: allowed }
    : applyAllowed({ ...rest, choice: allowed }, allowed, context)
}

/** Finds what became of the tool a reference means. A tool nobody declared is passed on by name. */
function createFollower(
  tools: readonly Tool[],
  declared: readonly Tool[],
  { report, profile, sameWire }: AdaptContext,
): (ref: ToolRef) => ToolRef | undefined {
  const findTool = indexTools(tools)
  const findDeclared = indexTools(declared)
  return ref => {
    const found = findTool(ref)
    if (found !== undefined) return sameWire && found.kind === 'hosted' ? ref : refTo(found, ref, report)
    if (sameWire) return ref
    if (ref.kind !== 'hosted' && findDeclared(ref) === undefined) {
      return ref.kind === 'custom' && !profile.customTools ? { ...ref, kind: 'function' } : ref
    }
    report('tool_choice_dropped', ref.path, `The chosen tool "${ref.name}" is not on the target wire.`)
    return undefined
  }
}

/** Looks tools up by the name the client knows them by. */
function indexTools(tools: readonly Tool[]): (ref: ToolRef) => Tool | undefined {
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

function refTo(tool: Tool, ref: ToolRef, report: Report): ToolRef {
  if (tool.kind === 'hosted') {
    if (tool.webSearch === undefined) return ref
    report('hosted_tool_mapped', ref.path, "The choice now names the target wire's own web search.")
    const { definition: _, residue: __, ...plain } = ref
    return { ...plain, kind: 'hosted', name: 'web_search', webSearch: true }
  }
  if (tool.kind !== 'function' && tool.kind !== 'custom') return ref
  if (tool.kind === ref.kind && tool.name === ref.name) return ref
  const { namespace: _, ...plain } = ref
  return { ...plain, kind: tool.kind, name: tool.name }
}

/** Where a choice cannot name a subset, the subset is all the target gets to see. */
function applyAllowed(
  params: ToolParams,
  allowed: ToolChoice & { mode: 'allowed' },
  { report }: AdaptContext,
): ToolParams {
  const kept = new Set(allowed.tools.map(ref => ref.name))
  const tools = (params.tools ?? []).filter(tool => {
    const name =
      tool.kind === 'hosted'
        ? tool.webSearch
          ? 'web_search'
          : tool.type
        : 'name' in tool
          ? tool.name
          : undefined
    if (name !== undefined && kept.has(name)) return true
    report(
      'tool_not_allowed',
      tool.root,
      'The tool is outside the allowed subset and was not shown to the model.',
    )
    return false
  })
  report(
    'allowed_tools_applied',
    allowed.path,
    'The target cannot name a subset; it gets only the allowed tools.',
  )
  return { ...params, tools, choice: { mode: allowed.required ? 'required' : 'auto', path: allowed.path } }
}
