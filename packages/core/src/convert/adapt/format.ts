/**
 * Rewrites a strict output format for the target's strict rules. Servers refuse the request over one unsupported
 * keyword, so such keywords move to the description, or the format is sent as not strict.
 */
import type { Settings } from '../../model/request.ts'
import { sameArgs } from '../../schema/pass.ts'
import type { AdaptContext } from './context.ts'

export function adaptFormat(
  settings: Settings,
  { profile, source, options, report }: AdaptContext,
): Settings {
  const { format } = settings
  if (format?.value.type !== 'json_schema' || format.value.strict !== true) return settings
  if (profile.strictRules === source.strictRules) return settings
  const rules = profile.strictRules
  const passes = options.strictPasses
  if (passes === undefined) {
    report('strict_dropped', format.path, "Nothing checks the format against the target's strict rules.")
    return { ...settings, format: { ...format, value: { ...format.value, strict: false } } }
  }
  if (passes.isStrict(format.value.schema, rules)) return settings
  const { schema, strict, undo, diagnostics } = passes.strictify(format.value.schema, {
    path: format.path,
    rules,
  })
  // A rewrite that needs an undo cannot be used: the answer is plain text, from which nulls cannot be removed.
  if (undo !== sameArgs) return settings
  for (const { code, path, message } of diagnostics) report(code, path, message)
  return { ...settings, format: { ...format, value: { ...format.value, schema, strict } } }
}
