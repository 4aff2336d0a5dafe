/** Chat's `tool_choice`. */

import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ToolChoice } from '../../../model/tool.ts'
import type { ChoiceShape } from '../../kit/tool-reference.ts'
import { decodeOpenAiChoice, encodeOpenAiChoice } from '../../kit/tool-reference.ts'

const shape: ChoiceShape = { wire: 'chat', shape: 'nested' }

export function decodeToolChoice(value: unknown, path: Path, report: Report): ToolChoice {
  return decodeOpenAiChoice(value, path, shape, report)
}

export function encodeToolChoice(choice: ToolChoice, report: Report): unknown {
  return encodeOpenAiChoice(choice, shape, report)
}
