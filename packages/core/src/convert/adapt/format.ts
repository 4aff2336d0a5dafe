/**
 * A strict output format, in what the target's strict mode takes. Servers refuse the whole request over one keyword
 * outside it, so such keywords are said in words instead, or the format is not strict.
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
  // Nulls could not be taken out of the answer's text again.
  if (undo !== sameArgs) return settings
  for (const { code, path, message } of diagnostics) report(code, path, message)
  return { ...settings, format: { ...format, value: { ...format.value, schema, strict } } }
}
