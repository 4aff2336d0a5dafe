/** Chat's `tool_choice`. */

import { isObject, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ToolChoice } from '../../../model/tool.ts'
import { decodeAllowedTools, decodeCallableRef, encodeRef, opaqueChoice } from '../../kit/tool-reference.ts'
import { chatResidue } from '../residue.ts'

export function decodeToolChoice(value: unknown, path: Path, report: Report): ToolChoice {
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value, path }
  if (isObject(value)) {
    if (own(value, 'type') === 'allowed_tools') {
      const allowed = decodeAllowedTools(value, path, 'nested', 'chat')
      if (allowed !== undefined) return allowed
    }
    const tool = decodeCallableRef(value, path, 'nested', 'chat')
    if (tool !== undefined) return { mode: 'tool', tool, path }
  }
  return opaqueChoice(value, path, 'chat', report)
}

export function encodeToolChoice(choice: ToolChoice, report: Report): unknown {
  switch (choice.mode) {
    case 'tool':
      return encodeRef(choice.tool, 'nested', 'chat', report)
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto'
      const tools = choice.tools.map(ref => encodeRef(ref, 'nested', 'chat', report))
      const written = { type: 'allowed_tools', allowed_tools: { mode, tools } }
      return chatResidue.restore(written, choice.residue, report)
    }
    case 'opaque':
      return choice.value
    default:
      chatResidue.reportForeign(choice.residue, report)
      return choice.mode
  }
}
