/**
 * A choice of allowed tools, for a target whose tool choice cannot name a subset: only the allowed tools are sent.
 * It runs first, so that later adaptations report only on tools that are sent.
 */

import type { Request } from '../../../model/request.ts'
import type { Tool } from '../../../model/tool.ts'
import { reportResidue } from '../../../wires/kit/report-residue.ts'
import type { AdaptContext } from '../context.ts'
import { withToolParams } from '../context.ts'
import { indexTools } from './tool-index.ts'

export function applyAllowedTools(request: Request, { profile, report }: AdaptContext): Request {
  const { choice, tools, additionalTools = [] } = request.tools
  if (choice?.mode !== 'allowed' || tools === undefined || profile.allowedTools) return request
  const find = indexTools([...tools, ...additionalTools])
  const allowed = new Set<Tool>()
  for (const ref of choice.tools) {
    const tool = find(ref)
    if (tool !== undefined) allowed.add(tool)
    else report('tool_choice_undeclared', ref.path, `No tool called "${ref.name}" is declared.`)
  }
  const refuse = (tool: Tool): void =>
    report('tool_not_allowed', tool.root, 'It is outside the allowed subset and was not shown to the model.')
  const keepAllowed = (tool: Tool): Tool[] => {
    if (allowed.has(tool)) return [tool]
    const inner = tool.kind === 'namespace' ? tool.tools.filter(one => allowed.has(one)) : []
    if (tool.kind !== 'namespace' || inner.length === 0) {
      refuse(tool)
      return []
    }
    for (const one of tool.tools) if (!allowed.has(one)) refuse(one)
    return [{ ...tool, tools: inner }]
  }
  report(
    'allowed_tools_applied',
    choice.path,
    'The target cannot name a subset; it gets only the allowed tools.',
  )
  reportResidue(choice.residue, report)
  const mode = choice.required ? 'required' : 'auto'
  return withToolParams(request, {
    ...request.tools,
    tools: tools.flatMap(keepAllowed),
    choice: { mode, path: choice.path },
  })
}
