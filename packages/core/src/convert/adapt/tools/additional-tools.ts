/**
 * Tools that the conversation declares, offers or withdraws in its middle. That stays there on its own wire; on any
 * other the list of tools is what it has become in the end.
 */
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import type { Tool, ToolChange, ToolParams } from '../../../model/tool.ts'
import { isCallable } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { withToolParams } from '../context.ts'

export function mergeAdditionalTools(request: Request, context: AdaptContext): Request {
  const { additionalTools: added, changes: told } = request.tools
  if ((added === undefined || added.length === 0) && told === undefined) return request
  const { additionalTools = [], changes, ...rest } = request.tools
  const { profile, isNative, report } = context
  const items = new Map(
    additionalTools.map(({ root }) => [JSON.stringify(root.slice(0, -2)), root.slice(0, -2)]),
  )
  if (isNative && profile.additionalTools) {
    reportUnreached(items.values(), context)
    return request
  }
  for (const item of items.values()) {
    report(
      'additional_tools_merged',
      [...item, 'type'],
      'Tools declared inside the input were moved to the list of tools.',
    )
  }
  const merged = {
    ...rest,
    ...(additionalTools.length > 0 && { tools: [...(rest.tools ?? []), ...additionalTools.map(markLate)] }),
  }
  return withToolParams(request, changes === undefined ? merged : withChanges(merged, changes, report))
}

function withChanges(params: ToolParams, changes: readonly ToolChange[], report: Report): ToolParams {
  const last = new Map(changes.map(change => [change.name, change]))
  const tools = params.tools?.flatMap(tool => changed(tool, last, report))
  const offered = new Set(tools?.map(nameOf))
  for (const { name, path } of changes) {
    if (last.get(name)?.kind === 'withdrawn')
      report('tool_withdrawn', path, 'The conversation withdraws the tool; it was left out of the list.')
    else if (!offered.has(name)) report('field_dropped', path, `No tool called "${name}" is declared.`)
  }
  return tools === undefined ? params : { ...params, tools }
}

function nameOf(tool: Tool): unknown {
  return isCallable(tool) ? tool.name : tool.kind === 'hosted' ? tool.definition.name : undefined
}

function reportUnreached(items: Iterable<Path>, { options, report }: AdaptContext): void {
  const { strict, hostedTools, profile: facts } = options
  if (strict === undefined && hostedTools === undefined && facts === undefined) return
  for (const item of items) {
    report(
      'additional_tools_unchanged',
      item,
      'Tools declared inside the input are not reached by these options.',
    )
  }
}

function changed(tool: Tool, last: ReadonlyMap<unknown, ToolChange>, report: Report): readonly Tool[] {
  const change = last.get(nameOf(tool))
  if (change?.kind === 'withdrawn') {
    report('tool_withdrawn', tool.root, 'A later message of the conversation withdraws it.')
    return []
  }
  if (change === undefined || !isCallable(tool) || tool.deferLoading === undefined) return [tool]
  // What the conversation has offered need not be searched for.
  const { deferLoading: _, ...loaded } = tool
  return [loaded]
}

function markLate(tool: Tool): Tool {
  const late = { ...tool, inHistory: true }
  return late.kind === 'namespace' ? { ...late, tools: late.tools.map(markLate) } : late
}
