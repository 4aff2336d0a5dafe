/**
 * Tools that the conversation declares, offers or withdraws in its middle. That stays there on its own wire; on any
 * other the list of tools is what it has become in the end.
 */
import type { Path } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import type { Tool, ToolChange } from '../../../model/tool.ts'
import { isCallable } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { withToolParams } from '../context.ts'

export function mergeAdditionalTools(request: Request, context: AdaptContext): Request {
  const { additionalTools = [], changes, ...rest } = request.tools
  if (additionalTools.length === 0 && changes === undefined) return request
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
    ...(additionalTools.length > 0 && { tools: [...(rest.tools ?? []), ...additionalTools] }),
  }
  const { tools } = merged
  const message = 'The conversation withdrew the tool; it was left out of the list.'
  for (const { kind, path } of changes?.values() ?? []) {
    if (kind === 'withdrawn') report('tool_withdrawn', path, message)
  }
  if (changes === undefined || tools === undefined) return withToolParams(request, merged)
  return withToolParams(request, { ...merged, tools: tools.flatMap(tool => changed(tool, changes, context)) })
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

function changed(
  tool: Tool,
  changes: ReadonlyMap<string, ToolChange>,
  { report }: AdaptContext,
): readonly Tool[] {
  const name = isCallable(tool) ? tool.name : tool.kind === 'hosted' ? tool.definition.name : undefined
  const change = typeof name === 'string' ? changes.get(name) : undefined
  if (change?.kind === 'withdrawn') {
    report('tool_withdrawn', tool.root, 'A later message of the conversation withdraws it.')
    return []
  }
  if (change === undefined || !isCallable(tool) || tool.deferLoading === undefined) return [tool]
  // What the conversation has offered need not be searched for.
  const { deferLoading: _, ...loaded } = tool
  return [loaded]
}
