/** Findings as SARIF 2.1.0, for code scanning. Rules are described from the catalogue. */
import type { DiagnosticCode } from '@toolwire/core'
import { catalog } from '@toolwire/core/diagnostics'
import { version } from '../version.ts'
import { failureCode, type LintRun } from './file-result.ts'

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
      ({ code, severity, message, remedy, start, end }): Result => ({
        code,
        level: levels[severity],
        text: `${message} ${remedy}`,
        file: name,
        region: {
          startLine: start.line,
          startColumn: start.column,
          endLine: end.line,
          endColumn: end.column,
        },
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
