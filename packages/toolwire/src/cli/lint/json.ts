/** Findings for programs. */
import type { DocumentReport } from './lint-document.ts'

export function jsonReport(reports: readonly DocumentReport[], fixed: number): string {
  const all = reports.flatMap(({ findings }) => findings)
  const count = (severity: string): number => all.filter(finding => finding.severity === severity).length
  const files = reports.map(({ name, wire, targets, findings }) => ({
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
      ...(fix && { fix }),
    })),
  }))
  const summary = { errors: count('error'), warnings: count('warning'), notes: count('info'), fixed }
  return `${JSON.stringify({ files, summary }, null, 2)}\n`
}
