/** What the encoders of tools share. */

import type { JsonObject } from '../../json/object.ts'
import { compact } from '../../json/object.ts'
import type { Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type {
  CustomFormat,
  CustomTool,
  FunctionTool,
  HostedTool,
  NamespaceTool,
  Tool,
  WebSearch,
} from '../../model/tool.ts'
import { reportResidue } from './report-residue.ts'
import { restoreMissingOrReport } from './residue.ts'

/** Reports an `output_schema` or a `defer_loading` that this wire has no place for. */
export function reportUnsupported(
  value: unknown,
  key: 'output_schema' | 'defer_loading',
  tool: FunctionTool | CustomTool,
  report: Report,
): void {
  if (value === undefined || value === false) return
  const stated = key === 'output_schema' && tool.kind === 'function' ? tool.outputSchemaPath : undefined
  report(
    'field_dropped',
    stated ?? into(tool.path, key),
    `The target wire has no place for "${key}"; it was left out.`,
  )
}

/** A hosted tool is written verbatim, unless it was mapped to one of the target wire. */
export function encodeHostedTool(
  tool: HostedTool,
  writeWebSearch: (search: WebSearch, report: Report) => JsonObject,
  report: Report,
): JsonObject {
  if (!tool.mapped || tool.webSearch === undefined) return tool.definition
  reportResidue(tool.webSearch.residue, report)
  return writeWebSearch(tool.webSearch, report)
}

export function encodeNamespace(
  tool: NamespaceTool,
  wire: string,
  writeTool: (tool: Tool, report: Report) => unknown,
  report: Report,
): unknown {
  const written = compact({
    type: 'namespace',
    name: tool.name,
    description: tool.description,
    tools: tool.tools.map(inner => writeTool(inner, report)),
  })
  return restoreMissingOrReport(written, tool.residue, wire, report)
}

export function encodeFormat(format: CustomFormat | undefined, shape: 'nested' | 'flat'): unknown {
  if (format === undefined || format.type === 'text') return format && { ...format }
  const { type, syntax, definition } = format
  return shape === 'nested' ? { type, grammar: { syntax, definition } } : { type, syntax, definition }
}
