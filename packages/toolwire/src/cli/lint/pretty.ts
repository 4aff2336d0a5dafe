/** Findings for people: what, where, the lines in question, and the way out. */

import { codeFrame } from '../../terminal/code-frame.ts'
import { type Colors, paintSeverity, severityName } from '../../terminal/colors.ts'
import { formatPath } from '../../terminal/format-path.ts'
import { type Output, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { countSeverities, plural, wrap } from '../../terminal/table.ts'
import { exampleFor } from './examples.ts'
import type { DocumentReport, LintRun, LocatedFinding } from './lint-document.ts'

export function prettyReport(run: LintRun, output: Output, colors: Colors): string {
  const columns = widthOf(output)
  const found = run.files.flatMap(({ report }) =>
    report.findings.map(finding => `${prettyFinding(finding, report, columns, colors)}\n`),
  )
  const repairs = repairLines(run, colors)
  return `${found.join('')}${repairs}${repairs === '' ? '' : '\n'}${summary(run, colors)}\n`
}

/** One line for each repair that was made, or would be. */
export function repairLines({ files, dryRun }: LintRun, colors: Colors): string {
  const done = dryRun ? 'would fix' : 'fixed'
  return files
    .flatMap(({ report, repairs }) =>
      repairs.map(({ line, title }) => {
        const where = `${printable(report.name)}:${line}`
        return `${colors.green(done)}  ${colors.cyan(where)}  ${printable(title)}\n`
      }),
    )
    .join('')
}

function prettyFinding(
  finding: LocatedFinding,
  report: DocumentReport,
  columns: number,
  colors: Colors,
): string {
  const { severity, code, message, remedy, start, fix, path } = finding
  const name = severityName(severity)
  const root = Array.isArray(report.document.value) ? 'tools' : ''
  const where = printable(report.name) + (finding.isPlaced ? `:${start.line}:${start.column}` : '')
  const targets = report.targets.length > 1 || report.targets[0] !== report.wire ? finding.targets : []
  const target = targets.length === 0 ? '' : ` (for ${targets.join(', ')})`
  const [first = '', ...rest] = wrap(`${name}[${code}] ${printable(message)}${target}`, columns)
  const head = first.slice(name.length + code.length + 2)
  // One advice: what --fix does, or else what the author can do.
  const advice = [
    fix === undefined ? { label: 'help', text: remedy } : { label: 'fix', text: `${fix.title} (--fix)` },
    { label: 'like', text: exampleFor(finding, report.definition) },
  ]
  return [
    `${paintSeverity(severity, name, colors)}${colors.dim(`[${code}]`)}${colors.bold(head)}\n`,
    ...rest.map(line => `${colors.bold(line)}\n`),
    `  ${colors.cyan(where)}  ${colors.dim(formatPath(path, root))}\n`,
    codeFrame(finding.lines, finding.range, colors, columns),
    ...advice.map(({ label, text }) => {
      const lines = wrap(printable(text), columns - 8).join(`\n${' '.repeat(8)}`)
      return `  ${colors.green(label.padEnd(4))}  ${lines}\n`
    }),
  ].join('')
}

function summary({ files, dryRun }: LintRun, colors: Colors): string {
  const all = files.flatMap(({ report }) => report.findings)
  const fixed = files.reduce((sum, { repairs }) => sum + repairs.length, 0)
  const inFiles = plural(new Set(files.map(({ report }) => report.name)).size, 'file')
  const done = dryRun ? 'would be made' : 'made'
  const repaired = fixed === 0 ? '' : `${plural(fixed, 'repair')} ${done}. `
  if (all.length === 0) return `${repaired}${colors.green('No problems')} in ${inFiles}.`
  // In the unit in which repairs are counted: several findings may share one.
  const fixable = new Set(all.flatMap(({ fix }) => fix ?? [])).size
  const hint = fixable === 0 ? '' : ` ${plural(fixable, 'repair')} can be made with --fix.`
  return `${repaired}${countSeverities(all)} in ${inFiles}.${hint}`
}

/** How the files were read, where the user should know. */
export function notesOn(reports: readonly DocumentReport[]): string[] {
  const guessed = reports.filter(({ wireBy, note }) => wireBy !== 'stated' && note === undefined)
  const [first, ...others] = guessed
  const alike = others.every(({ wire, wireBy }) => wire === first?.wire && wireBy === first.wireBy)
  const single = reports.length === 1
  const empty = new Set(
    reports.flatMap(({ name, note = '' }) =>
      note === '' ? [] : [single ? note : `${printable(name)}: ${note}`],
    ),
  )
  if (first === undefined) return [...empty]
  if (alike) return [...empty, `${sayWire(first)}; name another with --from.`]
  // The lines of one file are documents of their own.
  const each = new Set(guessed.map(report => `${printable(report.name)}: ${sayWire(report)}.`))
  return [...empty, ...each, 'Name another wire with --from.']
}

function sayWire({ wire, wireBy }: DocumentReport): string {
  return wireBy === 'shown' ? `Read as ${wire}` : `Nothing shows the wire, so it is read as ${wire}`
}
