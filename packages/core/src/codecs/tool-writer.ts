/** What the three encoders share when they write a tool. */
import type { Report } from '../model/diagnostic.ts'
import { compact } from '../model/json.ts'
import type { CustomFormat, FunctionTool, NamespaceTool, Tool } from '../model/tool.ts'
import type { Wire } from '../model/wire.ts'
import { finish } from './tool-refs.ts'

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

/** Tools that no codec rewrites: its own hosted and unknown ones, and those a policy lets pass. */
export function writeVerbatim(tool: Tool): unknown {
  if (tool.kind === 'hosted') return tool.definition
  return tool.kind === 'opaque' ? tool.value : undefined
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
  finish(written, tool.residue, wire, report)
  return written
}

export function writeFormat(format: CustomFormat | undefined, shape: 'nested' | 'flat'): unknown {
  if (format === undefined || format.type === 'text') return format && { ...format }
  const { type, syntax, definition } = format
  return shape === 'nested' ? { type, grammar: { syntax, definition } } : { type, syntax, definition }
}
