/**
 * Checks the text that the model wrote: parsed, validated, sanitized, validated again, audited. Errors distinguish
 * mistakes of the model, which are retried, from mistakes of the program.
 */
import { append, isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { readJson } from '../runtime/calls/parse-arguments.ts'
import type { ValidationIssue } from '../schema/validate/check.ts'
import { toText } from './request.ts'
import { type AnyStep, type AuditContext, stepMark } from './step.ts'
import { describeReason, StepError } from './step-error.ts'
import { type FoundIssue, type Issue, isAtLeast, isIssueSeverity } from './step-result.ts'

export interface OutputCheck {
  readonly parsed?: unknown
  /** The output of the sanitizer, if it differs: this is what was audited. */
  readonly sanitized?: unknown
  readonly output?: unknown
  readonly issues: readonly FoundIssue[]
  readonly error?: StepError
}

export async function checkOutput(step: AnyStep, raw: string, context: AuditContext): Promise<OutputCheck> {
  const { schema } = step[stepMark]
  // Some servers send an empty string for a call without arguments.
  const text = raw.trim() === '' ? '{}' : raw
  const read = readJson(text)
  if (!read.ok) {
    const message = `The output is not JSON that can be read. ${read.message}`
    return failed(new StepError('invalid_json', step.name, message))
  }
  const parsed = schema.undo(read.value)
  try {
    const first = await schema.check(parsed)
    if (!first.ok) return { parsed, ...failed(schemaError('invalid_output', step, first.violations)) }
    const { sanitizeOutput } = step[stepMark]
    if (sanitizeOutput === undefined) return { parsed, ...(await audit(step, first.value, context)) }
    // Parsed again, so that a sanitizer that changes its argument in place does not change `parsed`.
    const sanitized = await sanitize(step.name, () =>
      sanitizeOutput(schema.undo(JSON.parse(text)), { input: context.input }),
    )
    if (sanitized.error !== undefined) return { parsed, ...failed(sanitized.error) }
    const second = await schema.check(sanitized.draft)
    if (!second.ok)
      return { parsed, ...failed(schemaError('sanitizer_broke_output', step, second.violations)) }
    const changed = differs(sanitized.draft, parsed) && { sanitized: sanitized.draft }
    return { parsed, ...changed, ...(await audit(step, second.value, context)) }
  } catch (cause) {
    const message = `The output schema's own validation threw: ${describeReason(cause)}`
    return { parsed, ...failed(new StepError('schema_error', step.name, message, { cause })) }
  }
}

function failed(error: StepError): OutputCheck {
  return { issues: [], error }
}

function schemaError(
  code: 'invalid_output' | 'sanitizer_broke_output',
  { name }: AnyStep,
  violations: readonly ValidationIssue[],
): StepError {
  const what = code === 'invalid_output' ? 'The output' : 'What "sanitizeOutput" returned'
  const list = violations.map(({ message }) => message).join('; ')
  return new StepError(code, name, `${what} does not fit the output schema: ${list}.`, { violations })
}

type Sanitized = { readonly draft: unknown; readonly error?: undefined } | { readonly error: StepError }

async function sanitize(step: string, run: () => unknown): Promise<Sanitized> {
  try {
    return { draft: await run() }
  } catch (cause) {
    const message = `"sanitizeOutput" threw: ${describeReason(cause)}`
    return { error: new StepError('sanitizer_error', step, message, { cause }) }
  }
}

function differs(draft: unknown, parsed: unknown): boolean {
  return toText(draft) !== toText(parsed)
}

interface AuditResult {
  readonly output: unknown
  readonly issues: readonly FoundIssue[]
  readonly error?: StepError
}

async function audit(step: AnyStep, output: unknown, context: AuditContext): Promise<AuditResult> {
  const { audits, passes, failureReason } = step[stepMark]
  const issues: FoundIssue[] = []
  // What is running now, for the message if it throws.
  let running = ''
  try {
    for (const one of audits) {
      running = `The audit "${one.name}"`
      const found: unknown = await one.audit(output, context)
      append(issues, readIssues(found, one.name, context.attempt))
    }
    const failing = issues.filter(({ severity }) => isAtLeast(severity, step.severityFilter))
    running = '"passes"'
    const passed =
      passes === undefined
        ? failing.length === 0
        : readVerdict(await passes(output, { ...context, issues, failing }))
    if (passed) return { output, issues }
    running = '"failureReason"'
    const relevant = failing.length > 0 ? failing : issues
    const message =
      failureReason === undefined ? describeIssues(relevant) : readReason(failureReason(relevant))
    return { output, issues, error: new StepError('audit_failed', step.name, message) }
  } catch (cause) {
    const message = `${running} failed, so the output was not accepted: ${describeReason(cause)}`
    return { output, issues, error: new StepError('audit_error', step.name, message, { cause }) }
  }
}

function readIssues(found: unknown, audit: string, round: number): FoundIssue[] {
  if (!Array.isArray(found)) throw new TypeError(`it must return a list of issues; got ${show(found)}.`)
  return found.map((issue: unknown): FoundIssue => {
    if (!isObject(issue)) throw new TypeError(`an issue must be an object; got ${show(issue)}.`)
    if (!isIssueSeverity(issue.severity)) {
      const got = show(issue.severity)
      throw new TypeError(`an issue's "severity" must be low, medium, high or critical; got ${got}.`)
    }
    if (typeof issue.description !== 'string') {
      throw new TypeError(`an issue's "description" must be a text; got ${show(issue.description)}.`)
    }
    const { suggestions = [] } = issue
    if (!Array.isArray(suggestions) || suggestions.some(one => typeof one !== 'string')) {
      throw new TypeError(`an issue's "suggestions" must be a list of texts; got ${show(suggestions)}.`)
    }
    const stated = issue as unknown as Issue
    return { ...stated, audit, round: stated.round ?? round }
  })
}

function readVerdict(verdict: unknown): boolean {
  if (typeof verdict === 'boolean') return verdict
  throw new TypeError(`it must return true or false; got ${show(verdict)}.`)
}

function readReason(reason: unknown): string {
  if (typeof reason === 'string') return reason
  throw new TypeError(`it must return a text; got ${show(reason)}.`)
}

function describeIssues(issues: readonly FoundIssue[]): string {
  if (issues.length === 0) return 'The output did not pass.'
  const list = issues.map(({ severity, description }) => `[${severity}] ${description}`).join('; ')
  return `The output did not pass its audits: ${list}`
}
