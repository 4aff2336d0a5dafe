/** Messages tools: JSON tools, whose `type` is optional, and tools defined by a dated type. */

import { compact, isObject, own } from '../../../json/object.ts'
import { show } from '../../../json/text.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { Tool } from '../../../model/tool.ts'
import { encodeCacheMark } from '../../kit/conversation/cache-breakpoints.ts'
import type { ToolShape } from '../../kit/decode-tool.ts'
import { decodeCustomTool, decodeFunctionTool } from '../../kit/decode-tool.ts'
import { encodeFormat, encodeHostedTool, encodeNamespace, reportUnsupported } from '../../kit/encode-tool.ts'
import { messagesCacheMark, messagesResidue } from '../residue.ts'
import { decodeHostedTool, encodeWebSearch } from './hosted-tools.ts'

const shape: ToolShape = {
  wire: 'messages',
  title: 'Messages',
  holder: 'flat',
  parametersKey: 'input_schema',
  deferLoading: true,
  defaults: { allowed_callers: ['direct'] },
}

export function decodeTool(tool: unknown, path: Path, report: Report): Tool {
  if (!isObject(tool)) {
    report('invalid_tool', path, 'A tool must be an object.')
    return { kind: 'opaque', wire: 'messages', root: path, value: tool }
  }
  const type = own(tool, 'type')
  // On the OpenAI wires `custom` is a free-text tool; here it is an ordinary tool with a schema.
  const freeText = type === 'custom' && own(tool, 'input_schema') === undefined
  if (freeText && (isObject(own(tool, 'custom')) || own(tool, 'format') !== undefined)) {
    report(
      'mixed_shape',
      [...path, 'type'],
      'This is a free-text tool of the OpenAI wires; Messages has none.',
    )
    return decodeCustomTool(tool, path, shape, report)
  }
  if (type === 'function') {
    report('mixed_shape', [...path, 'type'], 'On Messages a tool with a schema has no type, or "custom".')
    return decodeFunctionTool(tool, path, shape, report)
  }
  if (type === undefined || type === null || type === 'custom') {
    return rememberType(decodeFunctionTool(tool, path, shape, report), type, path)
  }
  const hosted = typeof type === 'string' ? decodeHostedTool(tool, type, path) : undefined
  if (hosted !== undefined) return hosted
  report('unknown_type', [...path, 'type'], `Messages has no tool type ${show(type)}.`)
  return { kind: 'opaque', wire: 'messages', root: path, value: tool }
}

/** Records that the type was written out, which means nothing to other wires. */
function rememberType(tool: Tool, type: unknown, at: Path): Tool {
  if (tool.kind !== 'function' || type !== 'custom') return tool
  const { entries = [], defaults = [], ...rest } = tool.residue ?? {}
  return {
    ...tool,
    residue: { wire: 'messages', at, ...rest, entries, defaults: [...defaults, [['type'], type]] },
  }
}

export function encodeTool(tool: Tool, report: Report): unknown {
  switch (tool.kind) {
    case 'function': {
      const { description, parameters, strict, deferLoading } = tool
      const written: Record<string, unknown> = { name: tool.name }
      if (description !== undefined) written.description = description
      if (parameters !== undefined) written.input_schema = parameters
      if (strict !== undefined && strict !== 'auto') written.strict = strict
      if (deferLoading !== undefined) written.defer_loading = deferLoading
      Object.assign(written, encodeCacheMark(tool, messagesCacheMark))
      reportUnsupported(tool.outputSchema, 'output_schema', tool, report)
      return messagesResidue.restoreMissing(written, tool.residue, report)
    }
    case 'custom': {
      const { name, description, deferLoading } = tool
      const format = encodeFormat(tool.format, 'flat')
      const written = compact({ type: 'custom', name, description, format, defer_loading: deferLoading })
      Object.assign(written, encodeCacheMark(tool, messagesCacheMark))
      return messagesResidue.restoreMissing(written, tool.residue, report)
    }
    case 'namespace':
      return encodeNamespace(tool, 'messages', encodeTool, report)
    case 'hosted':
      return encodeHostedTool(tool, encodeWebSearch, report)
    case 'opaque':
      return tool.value
  }
}
