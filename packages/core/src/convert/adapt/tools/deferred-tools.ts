/** A tool that waits for a tool search is never seen without one, and servers refuse it. */
import type { Request } from '../../../model/request.ts'
import type { Tool } from '../../../model/tool.ts'
import { isCallable } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { mapTools } from '../context.ts'

export function showDeferredTools(request: Request, { isNative, report }: AdaptContext): Request {
  const { tools = [] } = request.tools
  if (isNative || !hasDeferred(tools) || tools.some(isSearch)) return request
  return mapTools(request, tool => {
    if (!isCallable(tool) || tool.deferLoading === undefined) return tool
    const { deferLoading, ...shown } = tool
    if (deferLoading) {
      report(
        'tool_shown',
        [...tool.path, 'defer_loading'],
        `Nothing on the target searches for tools; the model sees "${tool.name}" at once.`,
      )
    }
    return shown
  })
}

function hasDeferred(tools: readonly Tool[]): boolean {
  return tools.some(tool =>
    tool.kind === 'namespace' ? hasDeferred(tool.tools) : isCallable(tool) && tool.deferLoading !== undefined,
  )
}

function isSearch(tool: Tool): boolean {
  return tool.kind === 'hosted' && tool.family.startsWith('tool_search')
}
