/** What becomes of what a handler returned: its content for the model, once it fits the tool's output schema. */

import { describeThrown } from '../describe-error.ts'
import { type Checked, checkBySchema, listIssues, readStandardResult } from '../tools/check-value.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { End, Scope } from './call-scope.ts'
import { type Failure, failed } from './failure.ts'
import { isMcpResult } from './mcp-result.ts'
import type { ContentPart } from './outcome.ts'
import { type ResultContent, resultContent } from './result-content.ts'
import { jsonText } from './result-text.ts'
import { isToolResult } from './tool-result.ts'

export type Returned =
  | { readonly value: unknown; readonly result: ResultContent }
  | { readonly failure: Failure }

export async function readReturned(
  tool: ToolSpec,
  returned: unknown,
  { scope, maxLength, whenEnded }: { scope: Scope; maxLength: number; whenEnded(end: End): Failure },
): Promise<Returned> {
  const result = resultContent(returned, maxLength)
  if (!('content' in result)) return { failure: result }
  if (result.isError)
    return { failure: { ...failed('execution_error', textOf(result.content)), returned: result } }
  const settled = await scope.settle(() => checkReturned(tool, returned))
  if (settled.type === 'ended') return { failure: whenEnded(settled.end) }
  const subject = `The tool "${tool.name}" ran, but its result`
  if (settled.type === 'threw') {
    const { message } = describeThrown(settled.thrown)
    return {
      failure: failed('invalid_result', `${subject} could not be checked: ${message}`, settled.thrown),
    }
  }
  const checked = settled.value
  if (!checked.ok) {
    const message = `${subject} does not fit its output schema:${listIssues(checked.issues)}`
    return { failure: failed('invalid_result', message) }
  }
  if (checked.value === returned) return { value: returned, result }
  const transformed = resultContent(checked.value, maxLength)
  return 'content' in transformed ? { value: checked.value, result: transformed } : { failure: transformed }
}

/** Of a server's answer the structured part is what the schema speaks of. Content that was put together by hand has none. */
async function checkReturned(tool: ToolSpec, returned: unknown): Promise<Checked> {
  const fits: Checked = { ok: true, value: returned }
  const { outputSchema } = tool
  if ((outputSchema === undefined && tool.validateResult === undefined) || isToolResult(returned)) return fits
  const isServers = isMcpResult(returned) && returned.structuredContent !== undefined
  const subject = isServers ? returned.structuredContent : returned
  if (tool.validateResult !== undefined) {
    const checked = readStandardResult(await tool.validateResult(subject))
    return checked.ok && isServers ? fits : checked
  }
  const checked = checkBySchema(outputSchema ?? {}, asModelSees(subject))
  return checked.ok ? fits : checked
}

/** A date is a text and a missing result is null, to the model and so to the schema. */
function asModelSees(value: unknown): unknown {
  return typeof value === 'string' ? value : (JSON.parse(jsonText(value).text) as unknown)
}

function textOf(content: readonly ContentPart[]): string {
  const texts = content.map(part => (part.kind === 'text' ? part.text : `[${part.kind}]`))
  return texts.join('\n')
}
