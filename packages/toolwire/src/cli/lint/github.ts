/** Findings as GitHub Actions workflow commands, which show them beside the lines of a pull request. */
import { failureCode, type LintRun } from './file-result.ts'

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const

export function githubReport({ files, failed }: LintRun): string {
  const failures = failed.map(({ name, reason, place }) =>
    command('error', { file: name, line: place?.line, col: place?.column, title: failureCode }, reason),
  )
  const findings = files.flatMap(({ report: { name, findings } }) =>
    findings.map(({ severity, code, message, remedy, start, end }) =>
      command(
        commands[severity],
        {
          file: name,
          line: start.line,
          col: start.column,
          endLine: end.line,
          endColumn: end.column,
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
