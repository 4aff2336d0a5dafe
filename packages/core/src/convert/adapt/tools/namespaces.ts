/**
 * Namespaces, for a wire without them: each tool's name gets the namespace as a prefix. The description of the
 * namespace is added once, to the description of its first tool.
 */

import type { Request } from '../../../model/request.ts'
import {
  type CallableTool,
  isCallable,
  type NamespaceTool,
  type Tool,
  type ToolOrigin,
} from '../../../model/tool.ts'
import { reportResidue } from '../../../wires/kit/report-residue.ts'
import { originOf } from '../../shared/tools.ts'
import type { AdaptContext } from '../context.ts'
import { mapTopTools } from '../context.ts'

export function flattenNamespaces(request: Request, { profile, report }: AdaptContext): Request {
  if (profile.namespaces) return request
  return mapTopTools(request, tool => {
    if (tool.kind !== 'namespace') return tool
    report(
      'namespace_flattened',
      [...tool.root, 'name'],
      `The tools of "${tool.name}" now carry it in their names.`,
    )
    reportResidue(tool.residue, report)
    const callable = tool.tools.findIndex(isCallable)
    if (callable < 0 && tool.description !== undefined) {
      report(
        'field_dropped',
        [...tool.root, 'description'],
        'No tool of the namespace is left to carry its description.',
      )
    }
    return tool.tools.map((inner, i) => (isCallable(inner) ? qualify(inner, tool, i === callable) : inner))
  })
}

function qualify(tool: CallableTool, namespace: NamespaceTool, first: boolean): Tool {
  const origin: ToolOrigin = { ...originOf(tool), namespace: namespace.name }
  const prefix = namespacePrefix(namespace.name)
  const about =
    first && namespace.description ? `About all tools named ${prefix}…: ${namespace.description}` : undefined
  const description = [tool.description, about].filter(part => part !== undefined).join('\n\n')
  const described = tool.description === undefined && about === undefined ? {} : { description }
  return { ...tool, ...described, name: `${prefix}${tool.name}`, origin }
}

/** Codex names a namespace of an MCP server `mcp__server`; some versions already end it with the separator. */
function namespacePrefix(name: string): string {
  return name.endsWith('__') ? name : `${name}__`
}
