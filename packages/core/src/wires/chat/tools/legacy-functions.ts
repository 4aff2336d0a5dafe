/** The deprecated `functions` and `function_call`: read as tools, and written back as they were on Chat. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { Tool, ToolChoice } from '../../../model/tool.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { opaqueChoice } from '../../kit/tool-reference.ts'
import { chatResidue } from '../residue.ts'
import { encodeToolChoice } from './tool-choice.ts'
import { decodeTool, encodeTool } from './tools.ts'

/** A legacy function is the bare inside of a function tool, and no mistake; one that is wrapped is. */
export function decodeLegacyFunction(tool: unknown, path: Path, report: Report): Tool {
  const wrapped = isObject(tool) && own(tool, 'function') !== undefined
  if (wrapped) report('mixed_shape', path, 'In "functions" the fields of a function stand by themselves.')
  const decoded = decodeTool(tool, path, (code, at, message) => {
    if (code !== 'mixed_shape') report(code, at, message)
  })
  return decoded.kind === 'function' ? { ...decoded, legacy: true } : decoded
}

export function encodeLegacyFunction(tool: Tool, report: Report): unknown {
  const { type: _, function: inside, ...beside } = encodeTool(tool, report) as { [key: string]: unknown }
  return { ...(inside as JsonObject), ...beside }
}

export function decodeFunctionCall(value: unknown, path: Path, report: Report): ToolChoice {
  if (value === 'auto' || value === 'none') return { mode: value, path, legacy: true }
  const reader = isObject(value) ? new FieldReader(value) : undefined
  const name = reader?.string('name')
  if (reader === undefined || name === undefined)
    return { ...opaqueChoice(value, path, 'chat', report), legacy: true }
  const entries = reader.unread()
  const residue = entries.length === 0 ? {} : { residue: { wire: 'chat', at: path, entries } as const }
  return { mode: 'tool', tool: { kind: 'function', name, path, ...residue }, path, legacy: true }
}

export function encodeFunctionCall(choice: ToolChoice, report: Report): unknown {
  if (choice.mode !== 'tool') return encodeToolChoice(choice, report)
  return chatResidue.restore({ name: choice.tool.name }, choice.tool.residue, report)
}
