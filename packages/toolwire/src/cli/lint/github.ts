/** Findings as GitHub Actions workflow commands, which show them beside the lines of a pull request. */
import type { DocumentReport } from './lint-document.ts'

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const

export function githubReport(reports: readonly DocumentReport[]): string {
  return reports
    .flatMap(({ name, findings }) =>
      findings.map(({ severity, code, message, remedy, start, end }) => {
        const properties = Object.entries({
          file: name,
          line: start.line,
          col: start.column,
          endLine: end.line,
          endColumn: end.column,
          title: code,
        })
        const list = properties.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(',')
        return `::${commands[severity]} ${list}::${escapeData(`${message}\n${remedy}`)}\n`
      }),
    )
    .join('')
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
