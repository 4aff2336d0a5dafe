/** Tools declared inside the input: they stay there on their own wire and are moved to the list of tools on any other. */
import type { Request } from '../../../model/request.ts'
import type { Tool } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { withToolParams } from '../context.ts'

export function mergeAdditionalTools(
  request: Request,
  { profile, isNative, options, report }: AdaptContext,
): Request {
  if (request.tools.additionalTools === undefined) return request
  const { additionalTools, ...rest } = request.tools
  const items = new Map(
    additionalTools.map(({ root }) => [JSON.stringify(root.slice(0, -2)), root.slice(0, -2)]),
  )
  if (isNative && profile.additionalTools) {
    const { strict, hostedTools, profile: facts } = options
    if (strict === undefined && hostedTools === undefined && facts === undefined) return request
    for (const item of items.values()) {
      report(
        'additional_tools_unchanged',
        item,
        'Tools declared inside the input are not reached by these options.',
      )
    }
    return request
  }
  for (const item of items.values()) {
    report(
      'additional_tools_merged',
      [...item, 'type'],
      'Tools declared inside the input were moved to the list of tools.',
    )
  }
  const late = additionalTools.map(markLate)
  return withToolParams(request, { ...rest, tools: [...(rest.tools ?? []), ...late] })
}

function markLate(tool: Tool): Tool {
  const late = { ...tool, inHistory: true }
  return late.kind === 'namespace' ? { ...late, tools: late.tools.map(markLate) } : late
}
