/**
 * Checks arguments against a tool's parameters and results against its output schema, with the tool's schema library
 * or with our own validator. The model gets all issues at once, so that it can fix them in one try.
 */

import { createValidator, type SchemaValidator } from '../../schema/validate/validate.ts'
import { describeError } from '../errors.ts'
import type { JsonSchema } from '../tools/json-schema.ts'
import { pointerOf, type StandardIssue, type StandardResult } from '../tools/standard-schema.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { Scope, ScopeEnd } from './call-scope.ts'
import { checkTimedOut, type Failure, failed, notStarted } from './failure.ts'
import { isMcpResult } from './mcp-result.ts'
import type { ContentPart } from './outcome.ts'
import { correctArguments, type PreparedCall } from './prepare-call.ts'
import { type ResultContent, resultContent } from './result-content.ts'
import { jsonText } from './result-text.ts'
import { isToolResult } from './tool-result.ts'

/** The arguments as the handler will get them. */
export type CheckedArguments = { readonly args: unknown } | { readonly failure: Failure }

/** The check of a schema library may be asynchronous, may throw, and may never settle. */
export async function checkArguments(
  { tool, readArguments }: PreparedCall,
  scope: Scope,
  whenEnded: (end: ScopeEnd) => Failure = end => failureBeforeStart(end, tool.name),
): Promise<CheckedArguments> {
  const settled = await scope.settle(async () => {
    const args = readArguments()
    return tool.validateArguments === undefined
      ? checkBySchema(tool.parameters, args)
      : readStandardResult(await tool.validateArguments(args))
  })
  if (settled.type === 'ended') return { failure: whenEnded(settled.end) }
  if (settled.type === 'threw') {
    const { message } = describeError(settled.thrown)
    const problem = `The arguments for the tool "${tool.name}" could not be checked: ${message} ${correctArguments}`
    return { failure: failed('invalid_arguments', problem, settled.thrown) }
  }
  const checked = settled.value
  if (checked.ok) return { args: checked.value }
  const problem = `The arguments do not fit the tool "${tool.name}". ${correctArguments}${issueList(checked.issues)}`
  return { failure: failed('invalid_arguments', problem) }
}

/** For a call whose handler has not started. Before that, only the check of the arguments has a deadline. */
export function failureBeforeStart(end: ScopeEnd, name: string): Failure {
  return end.by === 'deadline' ? checkTimedOut(name, end.milliseconds) : notStarted(end)
}

export type HandlerResult =
  | { readonly value: unknown; readonly result: ResultContent }
  | { readonly failure: Failure }

export async function normalizeResult(
  tool: ToolSpec,
  returned: unknown,
  { scope, maxLength, whenEnded }: { scope: Scope; maxLength: number; whenEnded(end: ScopeEnd): Failure },
): Promise<HandlerResult> {
  const result = resultContent(returned, maxLength)
  if (!('content' in result)) return { failure: result }
  if (result.isError)
    return { failure: { ...failed('execution_error', textOf(result.content)), returned: result } }
  const settled = await scope.settle(() => checkResult(tool, returned))
  if (settled.type === 'ended') return { failure: whenEnded(settled.end) }
  const subject = `The tool "${tool.name}" ran, but its result`
  if (settled.type === 'threw') {
    const { message } = describeError(settled.thrown)
    return {
      failure: failed('invalid_result', `${subject} could not be checked: ${message}`, settled.thrown),
    }
  }
  const checked = settled.value
  if (!checked.ok) {
    const message = `${subject} does not fit its output schema:${issueList(checked.issues)}`
    return { failure: failed('invalid_result', message) }
  }
  if (checked.value === returned) return { value: returned, result }
  const transformed = resultContent(checked.value, maxLength)
  return 'content' in transformed ? { value: checked.value, result: transformed } : { failure: transformed }
}

/** Of an MCP result only `structuredContent` is checked. A `toolResult()` has no value that a schema could describe. */
async function checkResult(tool: ToolSpec, returned: unknown): Promise<CheckResult> {
  const fits: CheckResult = { ok: true, value: returned }
  const { outputSchema } = tool
  if ((outputSchema === undefined && tool.validateResult === undefined) || isToolResult(returned)) return fits
  const isStructured = isMcpResult(returned) && returned.structuredContent !== undefined
  const subject = isStructured ? returned.structuredContent : returned
  if (tool.validateResult !== undefined) {
    const checked = readStandardResult(await tool.validateResult(subject))
    return checked.ok && isStructured ? fits : checked
  }
  const checked = checkBySchema(outputSchema ?? {}, asJsonValue(subject))
  return checked.ok ? fits : checked
}

/** The value as the model receives it: a date is a string there, and a missing result is `null`. */
function asJsonValue(value: unknown): unknown {
  return typeof value === 'string' ? value : (JSON.parse(jsonText(value).text) as unknown)
}

function textOf(content: readonly ContentPart[]): string {
  const texts = content.map(part => (part.kind === 'text' ? part.text : `[${part.kind}]`))
  return texts.join('\n')
}

type CheckResult =
  | { readonly ok: true; readonly value: unknown }
  /** One line for each issue, with its path. */
  | { readonly ok: false; readonly issues: readonly string[] }

/** Tool schemas are frozen, so a compiled validator never becomes stale. */
const validators = new WeakMap<object, SchemaValidator>()

function checkBySchema(schema: JsonSchema, value: unknown): CheckResult {
  let validator = validators.get(schema)
  if (validator === undefined) {
    validator = createValidator(schema, { maxIssues: 100 })
    validators.set(schema, validator)
  }
  const result = validator.validate(value)
  return result.ok ? { ok: true, value } : { ok: false, issues: result.issues.map(({ message }) => message) }
}

function readStandardResult(result: StandardResult<unknown>): CheckResult {
  if (typeof result !== 'object' || result === null)
    throw new TypeError('The schema gave neither a value nor issues.')
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, issues: result.issues.map(issueLine) }
}

function issueLine(issue: StandardIssue): string {
  const pointer = pointerOf(issue)
  return pointer === '' ? issue.message : `${pointer}: ${issue.message}`
}

function issueList(issues: readonly string[]): string {
  return issues.map(issue => `\n- ${issue}`).join('')
}
