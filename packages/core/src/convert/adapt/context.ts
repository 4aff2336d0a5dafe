/** What every adaptation gets to know, and helpers to map tools. */
import type { Report } from '../../model/diagnostic.ts'
import type { FunctionTool, Tool } from '../../model/tool.ts'
import type { Profile } from '../../wires/profile.ts'
import type { ToolOptions } from '../shared/options.ts'
import { flatMapShared } from '../shared/shared-lists.ts'

export interface AdaptContext {
  /** The name of the target wire. */
  readonly target: string
  readonly profile: Profile
  /** The profile of the source wire. */
  readonly source: Profile
  readonly options: ToolOptions
  readonly report: Report
  /** Source and target are the same wire, so residue and unknown parts can stay. */
  readonly sameWire: boolean
}

/** Maps every tool, also inside namespaces. A step may return no tool or several. */
export function mapTools(
  tools: readonly Tool[],
  step: (tool: Tool) => Tool | readonly Tool[],
): readonly Tool[] {
  return flatMapShared(tools, tool => {
    if (tool.kind !== 'namespace') return step(tool)
    const inner = mapTools(tool.tools, step)
    return inner === tool.tools ? tool : { ...tool, tools: inner }
  })
}

export function mapFunctions(
  tools: readonly Tool[],
  step: (tool: FunctionTool) => FunctionTool,
): readonly Tool[] {
  return mapTools(tools, tool => (tool.kind === 'function' ? step(tool) : tool))
}
