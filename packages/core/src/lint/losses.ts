/** What would be lost on the way to another wire, told before it happens. */
import { convertToolParams, convertTools } from '../convert/convert-tools.ts'
import { strictPasses } from '../schema/strict/passes.ts'
import type { LintContext } from './context.ts'
import { remedyFor } from './remedies.ts'

export function lintLosses({ source, codec, target, findings, add }: LintContext): void {
  const convert = Array.isArray(source) ? convertTools : convertToolParams
  const { diagnostics } = convert(source, { strictPasses, from: codec, to: target })
  const known = new Set(findings.map(({ code, path }) => key(code, path)))
  for (const { code, severity, path, message } of diagnostics) {
    if (severity === 'info' || known.has(key(code, path))) continue
    add(code, path, message, remedyFor(code))
  }
}

function key(code: string, path: readonly (string | number)[]): string {
  return JSON.stringify([code, path])
}
