/**
 * Rewrites a strict output format for the target's strict rules. Servers refuse the request over one unsupported
 * keyword, so such keywords move to the description, or the format is sent as not strict.
 */
import type { OutputFormat, Request, Setting } from '../../model/request.ts'
import { sameArgs } from '../../schema/pass.ts'
import type { AdaptContext } from './context.ts'
import { withSettings } from './context.ts'

export function adaptFormat(request: Request, context: AdaptContext): Request {
  const { format } = request.settings
  if (context.isNative || format === undefined) return request
  const value = fitFormat(format, context)
  if (value === format.value) return request
  return withSettings(request, { ...request.settings, format: { ...format, value } })
}

function fitFormat(
  { value, path }: Setting<OutputFormat>,
  { profile, source, strictPasses: passes, report }: AdaptContext,
): OutputFormat {
  if (value.type !== 'json_schema' || value.strict !== true) return value
  if (profile.strictRules === source.strictRules) return value
  const rules = profile.strictRules
  if (passes === undefined) {
    report('strict_dropped', path, "Nothing checks the format against the target's strict rules.")
    return { ...value, strict: false }
  }
  if (passes.isStrict(value.schema, rules)) return value
  const { schema, strict, undo, diagnostics } = passes.strictify(value.schema, { path, rules })
  // A rewrite that needs an undo cannot be used: the answer is plain text, from which nulls cannot be removed.
  if (undo !== sameArgs) return value
  for (const { code, path, message } of diagnostics) report(code, path, message)
  return { ...value, schema, strict }
}
