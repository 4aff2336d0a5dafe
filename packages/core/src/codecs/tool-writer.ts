/** What the three encoders share when they write a tool. */
import type { Report } from '../model/diagnostic.ts'
import type { JsonObject } from '../model/json.ts'
import { compact } from '../model/json.ts'
import { reportResidue } from '../model/residue.ts'
import type { CustomFormat, FunctionTool, HostedTool, NamespaceTool, Tool, WebSearch } from '../model/tool.ts'
import type { Wire } from '../model/wire.ts'
import { finishTool } from './tool-refs.ts'

/** Says that a field the model carries has no place on this wire. */
export function reportUnsaid(
  tool: Pick<FunctionTool, 'path' | 'outputSchema' | 'deferLoading'>,
  fields: readonly ('outputSchema' | 'deferLoading')[],
  report: Report,
): void {
  const keys = { outputSchema: 'output_schema', deferLoading: 'defer_loading' } as const
  for (const field of fields) {
    if (tool[field] === undefined || tool[field] === false) continue
    report(
      'field_dropped',
      [...tool.path, keys[field]],
      `The target wire has no place for "${keys[field]}"; it was left out.`,
    )
  }
}

/** A hosted tool goes out as it came in, unless the target has one of its kind. */
export function writeHosted(
  tool: HostedTool,
  writeWebSearch: (search: WebSearch) => JsonObject,
  report: Report,
): JsonObject {
  if (!tool.mapped || tool.webSearch === undefined) return tool.definition
  reportResidue(tool.webSearch.residue, report)
  return writeWebSearch(tool.webSearch)
}

export function writeNamespace(
  tool: NamespaceTool,
  wire: Wire,
  writeTool: (tool: Tool, report: Report) => unknown,
  report: Report,
): unknown {
  const written = compact({
    type: 'namespace',
    name: tool.name,
    description: tool.description,
    tools: tool.tools.map(inner => writeTool(inner, report)),
  })
  finishTool(written, tool.residue, wire, report)
  return written
}

export function writeFormat(format: CustomFormat | undefined, shape: 'nested' | 'flat'): unknown {
  if (format === undefined || format.type === 'text') return format && { ...format }
  const { type, syntax, definition } = format
  return shape === 'nested' ? { type, grammar: { syntax, definition } } : { type, syntax, definition }
}
