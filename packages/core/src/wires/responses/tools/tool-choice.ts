/** Responses' `tool_choice`: flat references, a subset, and hosted tools by type. */

import { isObject, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ToolChoice } from '../../../model/tool.ts'
import { decodeAllowedTools, decodeCallableRef, encodeRef, opaqueChoice } from '../../kit/tool-reference.ts'
import { responsesResidue } from '../residue.ts'
import { decodeHostedRef } from './hosted-tools.ts'

export function decodeToolChoice(value: unknown, path: Path, report: Report): ToolChoice {
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value, path }
  if (isObject(value)) {
    if (own(value, 'type') === 'allowed_tools') {
      const allowed = decodeAllowedTools(value, path, 'flat', 'responses', decodeHostedRef)
      return allowed ?? opaqueChoice(value, path, 'responses', report)
    }
    const tool = decodeCallableRef(value, path, 'flat', 'responses') ?? decodeHostedRef(value, path)
    if (tool !== undefined) return { mode: 'tool', tool, path }
  }
  return opaqueChoice(value, path, 'responses', report)
}

export function encodeToolChoice(choice: ToolChoice, report: Report): unknown {
  switch (choice.mode) {
    case 'tool':
      return encodeRef(choice.tool, 'flat', 'responses', report)
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto'
      const tools = choice.tools.map(ref => encodeRef(ref, 'flat', 'responses', report))
      return responsesResidue.restore({ type: 'allowed_tools', mode, tools }, choice.residue, report)
    }
    case 'opaque':
      return choice.value
    default:
      responsesResidue.reportForeign(choice.residue, report)
      return choice.mode
  }
}
