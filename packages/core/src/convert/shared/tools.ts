/** Tools that a program defines, and what a tool is called by whoever declared it. */
import { compact } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolOrigin } from '../../model/tool.ts'

/** A tool that the program defines, as `defineTool` returns it. */
export interface DefinedTool {
  readonly name: string
  readonly description?: string
  readonly parameters?: unknown
  readonly outputSchema?: unknown
  readonly strict?: boolean
}

export function functionOf(tool: DefinedTool, root: Path): FunctionTool {
  const { name, description, parameters, outputSchema, strict } = tool
  return {
    kind: 'function',
    root,
    path: root,
    name,
    parametersPath: [...root, 'parameters'],
    ...compact({ description, parameters, outputSchema, strict }),
  }
}

/** The identity of a tool for the client that declared it, whatever the adaptations made of it. */
export function originOf(tool: FunctionTool | CustomTool | HostedTool): ToolOrigin
export function originOf(tool: Tool): ToolOrigin | undefined
export function originOf(tool: Tool): ToolOrigin | undefined {
  switch (tool.kind) {
    case 'function':
    case 'custom':
      return tool.origin ?? { kind: tool.kind, name: tool.name }
    case 'hosted': {
      const name = tool.definition.name
      const { type, family, label } = tool
      return compact({
        kind: 'hosted' as const,
        name: typeof name === 'string' ? name : type,
        type,
        family,
        label,
      })
    }
    default:
      return undefined
  }
}
