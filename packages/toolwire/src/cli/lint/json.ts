/** Findings for programs. */
import type { LintFix } from '@toolwire/core/lint'
import { type FailedFile, failureCode, type LintedFile, type LintRun } from './file-result.ts'

export function jsonReport({ files, failed, dryRun }: LintRun): string {
  const all = files.flatMap(({ report }) => report.findings)
  const count = (severity: string): number => all.filter(finding => finding.severity === severity).length
  const repairs = files.reduce((sum, file) => sum + file.repairs.length, 0)
  const summary = {
    errors: count('error'),
    warnings: count('warning'),
    notes: count('info'),
    fixed: dryRun ? 0 : repairs,
    unreadable: failed.length,
  }
  const told = [...files.map(lintedFile), ...failed.map(failedFile)]
  return `${JSON.stringify({ files: told, summary }, null, 2)}\n`
}

function lintedFile({ report: { name, wire, targets, findings }, repairs }: LintedFile): object {
  const seen = new Set<LintFix>()
  // One fix may mend hundreds of places; with its edits at each of them the report would grow out of hand.
  const tellFix = (fix: LintFix): object => {
    if (seen.has(fix)) return { title: fix.title, repeated: true }
    seen.add(fix)
    return fix
  }
  return {
    file: name,
    wire,
    targets,
    findings: findings.map(({ code, severity, path, message, remedy, targets: of, start, end, fix }) => ({
      code,
      severity,
      path,
      message,
      remedy,
      targets: of,
      line: start.line,
      column: start.column,
      endLine: end.line,
      endColumn: end.column,
      ...(fix && { fix: tellFix(fix) }),
    })),
    repairs,
  }
}

function failedFile({ name, reason, place }: FailedFile): object {
  return { file: name, error: { code: failureCode, message: reason, ...place }, findings: [], repairs: [] }
}
