/** Chat tools: `function` and `custom`, each with its fields in an object of that name. */

import { compact, isObject, own } from '../../../json/object.ts'
import { show } from '../../../json/text.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { Tool } from '../../../model/tool.ts'
import type { ToolShape } from '../../kit/decode-tool.ts'
import { decodeCustomTool, decodeFunctionTool } from '../../kit/decode-tool.ts'
import { encodeFormat, encodeNamespace, reportUnsupported } from '../../kit/encode-tool.ts'
import { chatResidue } from '../residue.ts'

const shape: ToolShape = {
  wire: 'chat',
  title: 'Chat',
  holder: 'nested',
  parametersKey: 'parameters',
  typed: true,
}

export function decodeTool(tool: unknown, path: Path, report: Report): Tool {
  if (!isObject(tool)) {
    report('invalid_tool', path, 'A tool must be an object.')
    return { kind: 'opaque', wire: 'chat', root: path, value: tool }
  }
  const type = own(tool, 'type')
  // On Messages `custom` is the type of an ordinary tool, which has an `input_schema`.
  if (type === 'custom' && own(tool, 'input_schema') === undefined)
    return decodeCustomTool(tool, path, shape, report)
  if (type === 'function' || type === 'custom' || type === undefined)
    return decodeFunctionTool(tool, path, shape, report)
  report('unknown_type', [...path, 'type'], `Chat has no tool type ${show(type)}.`)
  return { kind: 'opaque', wire: 'chat', root: path, value: tool }
}

export function encodeTool(tool: Tool, report: Report): unknown {
  switch (tool.kind) {
    case 'function': {
      const { description, parameters, strict } = tool
      const fields: Record<string, unknown> = { name: tool.name }
      if (description !== undefined) fields.description = description
      if (parameters !== undefined) fields.parameters = parameters
      if (strict !== undefined && strict !== 'auto') fields.strict = strict
      const isUntyped = chatResidue.recorded(tool.residue, 'type') !== undefined
      const written = isUntyped ? { function: fields } : { type: 'function', function: fields }
      reportUnsupported(tool.outputSchema, 'output_schema', tool, report)
      reportUnsupported(tool.deferLoading, 'defer_loading', tool, report)
      return chatResidue.restoreMissing(written, tool.residue, report)
    }
    case 'custom': {
      const { name, description } = tool
      const format = encodeFormat(tool.format, 'nested')
      const written = { type: 'custom', custom: compact({ name, description, format }) }
      reportUnsupported(tool.deferLoading, 'defer_loading', tool, report)
      return chatResidue.restoreMissing(written, tool.residue, report)
    }
    case 'namespace':
      return encodeNamespace(tool, 'chat', encodeTool, report)
    case 'hosted':
      return tool.definition
    case 'opaque':
      return tool.value
  }
}
