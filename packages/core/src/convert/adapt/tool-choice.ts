/** `tool_choice` follows its tools: renamed, wrapped, emulated, or gone. */
import type { Report } from '../../model/diagnostic.ts'
import type { Tool, ToolParams, ToolRef } from '../../model/tool.ts'
import type { AdaptContext } from './context.ts'
import { indexTools } from './tool-index.ts'

export function adaptToolChoice(
  params: ToolParams,
  declared: readonly Tool[],
  context: AdaptContext,
): ToolParams {
  const { choice } = params
  if (choice === undefined) return params
  const { choice: _, ...rest } = params
  const { report, sameWire } = context
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
  return { ...rest, choice: { ...choice, tools } }
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
