/** Findings for programs: as JSON, as GitHub Actions workflow commands, and as SARIF 2.1.0 for code scanning. */
import type { DiagnosticCode } from '@toolwire/core'
import { catalog } from '@toolwire/core/diagnostics'
import type { LintFix } from '@toolwire/core/lint'
import { version } from '../version.ts'
import { exampleFor } from './examples.ts'
import { type FailedFile, failureCode, type LintedFile, type LintRun } from './lint-document.ts'

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

function lintedFile({ report: { name, wire, definition, targets, findings }, repairs }: LintedFile): object {
  const seen = new Set<LintFix>()
  // One fix may belong to hundreds of findings, so its edits are written only once.
  const tellFix = (fix: LintFix): object => {
    if (seen.has(fix)) return { title: fix.title, repeated: true }
    seen.add(fix)
    return fix
  }
  return {
    file: name,
    wire,
    targets,
    findings: findings.map(finding => {
      const { code, severity, path, message, remedy, targets: of, start, end, fix, isPlaced } = finding
      return {
        code,
        severity,
        path,
        message,
        remedy,
        targets: of,
        example: exampleFor(finding, definition),
        ...(isPlaced && {
          line: start.line,
          column: start.column,
          endLine: end.line,
          endColumn: end.column,
        }),
        ...(fix && { fix: tellFix(fix) }),
      }
    }),
    repairs,
  }
}

function failedFile({ name, reason, place }: FailedFile): object {
  return { file: name, error: { code: failureCode, message: reason, ...place }, findings: [], repairs: [] }
}

/** GitHub shows these beside the lines of a pull request. */
const commands = { error: 'error', warning: 'warning', info: 'notice' } as const

export function githubReport({ files, failed }: LintRun): string {
  const failures = failed.map(({ name, reason, place }) =>
    command('error', { file: name, line: place?.line, col: place?.column, title: failureCode }, reason),
  )
  const findings = files.flatMap(({ report: { name, findings } }) =>
    findings.map(({ severity, code, message, remedy, start, end, isPlaced }) =>
      command(
        commands[severity],
        {
          file: name,
          ...(isPlaced && {
            line: start.line,
            col: start.column,
            endLine: end.line,
            endColumn: end.column,
          }),
          title: code,
        },
        `${message}\n${remedy}`,
      ),
    ),
  )
  return [...failures, ...findings].join('')
}

function command(
  name: string,
  properties: { readonly [key: string]: string | number | undefined },
  data: string,
): string {
  const list = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
  return `::${name} ${list.join(',')}::${escapeData(data)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

const levels = { error: 'error', warning: 'warning', info: 'note' } as const

interface Result {
  readonly code: DiagnosticCode
  readonly level: string
  readonly text: string
  readonly file: string
  readonly region?: { readonly [key: string]: number }
}

export function sarifReport({ files, failed }: LintRun): string {
  const failures = failed.map(
    ({ name, reason, place }): Result => ({
      code: failureCode,
      level: 'error',
      text: reason,
      file: name,
      ...(place && { region: { startLine: place.line, startColumn: place.column } }),
    }),
  )
  const findings = files.flatMap(({ report: { name, findings } }) =>
    findings.map(
      ({ code, severity, message, remedy, start, end, isPlaced }): Result => ({
        code,
        level: levels[severity],
        text: `${message} ${remedy}`,
        file: name,
        ...(isPlaced && {
          region: {
            startLine: start.line,
            startColumn: start.column,
            endLine: end.line,
            endColumn: end.column,
          },
        }),
      }),
    ),
  )
  return `${JSON.stringify(log([...failures, ...findings]), null, 2)}\n`
}

function log(found: readonly Result[]): object {
  const codes = [...new Set(found.map(({ code }) => code))].sort()
  const ruleIndex = new Map(codes.map((code, index) => [code, index]))
  const rules = codes.map(code => {
    const { title, explanation, remedy } = catalog[code]
    return {
      id: code,
      shortDescription: { text: title },
      fullDescription: { text: explanation },
      help: { text: remedy },
    }
  })
  const results = found.map(({ code, level, text, file, region }) => ({
    ruleId: code,
    ruleIndex: ruleIndex.get(code),
    level,
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri: toUri(file) }, ...(region && { region }) } }],
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolwire', version: version(), rules } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  }
}

function toUri(file: string): string {
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
}
