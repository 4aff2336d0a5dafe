/** Adds the server tools to the client's tools. If both have a tool of one name, the client's wins. */
import type { Tool, ToolParams } from '../../../model/tool.ts'
import type { ServerTool } from '../../shared/server-calls.ts'
import { functionOf } from '../../shared/tools.ts'
import type { AdaptContext } from '../context.ts'
import { hostedPolicy } from './hosted-tools.ts'

export function addServerTools(
  params: ToolParams,
  serverTools: readonly ServerTool[],
  context: AdaptContext,
): ToolParams {
  if (serverTools.length === 0) return params
  const taken = new Set([...(params.tools ?? []), ...(params.additionalTools ?? [])].flatMap(callableName))
  const hostedNames = new Set((params.tools ?? []).flatMap(tool => namesOfHosted(tool, context)))
  const added = serverTools.flatMap((tool, i): Tool[] => {
    const { name, server } = tool
    const root = ['registered', i]
    // The client declared it as a hosted tool, which is adapted by its policy.
    if (hostedNames.has(name)) return []
    if (taken.has(name)) {
      const message = `The client has a tool called "${name}"; the server tool of this name was left out.`
      context.report('duplicate_tool_name', root, message)
      return []
    }
    const label = server === undefined ? {} : { label: server }
    return [{ ...functionOf(tool, root), origin: { kind: 'function', name, handled: true, ...label } }]
  })
  return { ...params, tools: [...(params.tools ?? []), ...added] }
}

function callableName(tool: Tool): string[] {
  return tool.kind === 'function' || tool.kind === 'custom' ? [tool.name] : []
}

/** The names that a hosted tool occupies, unless its policy drops it. */
function namesOfHosted(tool: Tool, context: AdaptContext): string[] {
  if (tool.kind !== 'hosted') return []
  const policy = hostedPolicy(tool, context)
  return policy === 'drop' || policy === 'error' ? [] : [tool.type, tool.family]
}
