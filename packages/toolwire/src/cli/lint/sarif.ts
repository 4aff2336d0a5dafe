/** Findings as SARIF 2.1.0, for code scanning. Rules are described from the catalogue. */
import { catalog } from '@toolwire/core/diagnostics'
import { version } from '../version.ts'
import type { DocumentReport } from './lint-document.ts'

const levels = { error: 'error', warning: 'warning', info: 'note' } as const

export function sarifReport(reports: readonly DocumentReport[]): string {
  const found = reports.flatMap(({ name, findings }) => findings.map(finding => ({ name, finding })))
  const codes = [...new Set(found.map(({ finding }) => finding.code))].sort()
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
  const results = found.map(({ name, finding: { code, severity, message, remedy, start, end } }) => ({
    ruleId: code,
    ruleIndex: ruleIndex.get(code),
    level: levels[severity],
    message: { text: `${message} ${remedy}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: toUri(name) },
          region: {
            startLine: start.line,
            startColumn: start.column,
            endLine: end.line,
            endColumn: end.column,
          },
        },
      },
    ],
  }))
  const driver = { name: 'toolwire', version: version(), rules }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function toUri(file: string): string {
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
}
