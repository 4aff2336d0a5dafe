/** Responses tools: flat functions and custom tools, namespaces of them, and the hosted types. */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import { show } from '../../../json/text.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { NamespaceTool, OpaqueTool, Tool } from '../../../model/tool.ts'
import type { ToolShape } from '../../kit/decode-tool.ts'
import { decodeCustomTool, decodeFunctionTool } from '../../kit/decode-tool.ts'
import { encodeFormat, encodeHostedTool, encodeNamespace } from '../../kit/encode-tool.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { responsesResidue } from '../residue.ts'
import { decodeHostedTool, encodeWebSearch } from './hosted-tools.ts'

const shape: ToolShape = {
  wire: 'responses',
  title: 'Responses',
  holder: 'flat',
  parametersKey: 'parameters',
  typed: true,
  unstatedStrict: 'auto',
  outputSchema: true,
  deferLoading: true,
  defaults: { async: false, allowed_callers: ['direct'] },
}

export function decodeTool(tool: unknown, path: Path, report: Report): Tool {
  return decodeToolIn(tool, path, report, false)
}

/** Namespaces do not nest, which limits the depth. */
function decodeToolIn(tool: unknown, path: Path, report: Report, inNamespace: boolean): Tool {
  if (!isObject(tool)) {
    report('invalid_tool', path, 'A tool must be an object.')
    return { kind: 'opaque', wire: 'responses', root: path, value: tool }
  }
  const type = own(tool, 'type')
  // On Messages `custom` is the type of an ordinary tool, which has an `input_schema`.
  if (type === 'custom' && own(tool, 'input_schema') === undefined)
    return decodeCustomTool(tool, path, shape, report)
  if (type === 'function' || type === 'custom' || type === undefined) {
    if (type === undefined)
      report('mixed_shape', [...path, 'type'], 'On Responses a function says `type: "function"`.')
    return decodeFunctionTool(tool, path, shape, report)
  }
  if (type === 'namespace' && !inNamespace) return decodeNamespace(tool, path, report)
  const hosted = typeof type === 'string' ? decodeHostedTool(tool, type, path) : undefined
  if (hosted !== undefined) return hosted
  report('unknown_type', [...path, 'type'], `Responses has no tool type ${show(type)}.`)
  return { kind: 'opaque', wire: 'responses', root: path, value: tool }
}

function decodeNamespace(tool: JsonObject, path: Path, report: Report): NamespaceTool | OpaqueTool {
  const fields = new FieldReader(tool)
  fields.string('type')
  const name = fields.string('name')
  const tools = fields.value('tools')
  if (name === undefined || name === '') {
    report('missing_name', [...path, 'name'], 'The namespace has no name; give it a non-empty string.')
    return { kind: 'opaque', wire: 'responses', root: path, value: tool }
  }
  if (!Array.isArray(tools)) {
    report('not_a_list', [...path, 'tools'], "A namespace's tools must be a list.")
    return { kind: 'opaque', wire: 'responses', root: path, value: tool }
  }
  const description = fields.string('description')
  const entries = fields.unread()
  return {
    kind: 'namespace',
    root: path,
    name,
    tools: tools.map((inner, i) => decodeToolIn(inner, [...path, 'tools', i], report, true)),
    ...compact({
      description,
      residue: entries.length === 0 ? undefined : ({ wire: 'responses', at: path, entries } as const),
    }),
  }
}

export function encodeTool(tool: Tool, report: Report): unknown {
  switch (tool.kind) {
    case 'function': {
      const { description, parameters, outputSchema, deferLoading } = tool
      const isUntyped = responsesResidue.recorded(tool.residue, 'type') !== undefined
      const written: Record<string, unknown> = isUntyped
        ? { name: tool.name }
        : { type: 'function', name: tool.name }
      if (description !== undefined) written.description = description
      // If `strict` is left out, the server may make every optional parameter required.
      if (tool.strict !== 'auto') written.strict = tool.strict ?? false
      if (parameters !== undefined) written.parameters = parameters
      if (outputSchema !== undefined) written.output_schema = outputSchema
      if (deferLoading !== undefined) written.defer_loading = deferLoading
      return responsesResidue.restoreMissing(written, tool.residue, report)
    }
    case 'custom': {
      const { name, description, deferLoading } = tool
      const format = encodeFormat(tool.format, 'flat')
      const written = compact({ type: 'custom', name, description, format, defer_loading: deferLoading })
      return responsesResidue.restoreMissing(written, tool.residue, report)
    }
    case 'namespace':
      return encodeNamespace(tool, 'responses', encodeTool, report)
    case 'hosted':
      return encodeHostedTool(tool, encodeWebSearch, report)
    case 'opaque':
      return tool.value
  }
}
