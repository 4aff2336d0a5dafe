/** Responses' `tool_choice`: flat references, a subset, and hosted tools by type. */

import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ToolChoice } from '../../../model/tool.ts'
import type { ChoiceShape } from '../../kit/tool-reference.ts'
import { decodeOpenAiChoice, encodeOpenAiChoice } from '../../kit/tool-reference.ts'
import { decodeHostedRef } from './hosted-tools.ts'

const shape: ChoiceShape = { wire: 'responses', shape: 'flat', decodeHostedRef }

export function decodeToolChoice(value: unknown, path: Path, report: Report): ToolChoice {
  return decodeOpenAiChoice(value, path, shape, report)
}

export function encodeToolChoice(choice: ToolChoice, report: Report): unknown {
  return encodeOpenAiChoice(choice, shape, report)
}
