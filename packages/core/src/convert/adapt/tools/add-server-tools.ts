/** Adds the server tools to the client's tools. If both have a tool of one name, the client's wins. */
import type { Request } from '../../../model/request.ts'
import { isCallable, type Tool } from '../../../model/tool.ts'
import { functionOf } from '../../shared/tools.ts'
import type { AdaptContext } from '../context.ts'
import { withTools } from '../context.ts'
import { choosePolicy } from './hosted-tools.ts'

export function addServerTools(request: Request, context: AdaptContext): Request {
  const serverTools = context.client?.serverTools ?? []
  if (serverTools.length === 0) return request
  const { tools = [], additionalTools = [] } = request.tools
  const taken = new Set([...tools, ...additionalTools].filter(isCallable).map(tool => tool.name))
  const hostedNames = new Set(tools.flatMap(tool => namesOfHosted(tool, context)))
  const added = serverTools.flatMap((tool, i): Tool[] => {
    const { name, server } = tool
    const root = ['registered', i]
    // The client declared it as a hosted tool, which is adapted by its policy.
    if (hostedNames.has(name)) return []
    if (taken.has(name)) {
      const message = `The client has a tool called "${name}"; the server tool of this name was left out.`
      context.report('server_tool_omitted', root, message)
      return []
    }
    const label = server === undefined ? {} : { label: server }
    return [{ ...functionOf(tool, root), origin: { kind: 'function', name, handled: true, ...label } }]
  })
  return added.length === 0 ? request : withTools(request, [...tools, ...added])
}

/** The names that a hosted tool occupies, unless its policy drops it. */
function namesOfHosted(tool: Tool, context: AdaptContext): string[] {
  if (tool.kind !== 'hosted') return []
  const { policy } = choosePolicy(tool, context)
  return policy === 'drop' || policy === 'error' ? [] : [tool.type, tool.family]
}
