/** `toolwire lint`: findings with their places, in several formats, and repairs written back. */
import type { Arguments } from '../arguments.ts'
import { colorsFor } from '../colors.ts'
import { complain } from '../complain.ts'
import { InputError, UsageError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io, Output } from '../io.ts'
import { parseDocument } from '../json-document.ts'
import { applyFixes } from '../lint/apply-fixes.ts'
import { githubReport } from '../lint/github.ts'
import { jsonReport } from '../lint/json.ts'
import { type DocumentReport, type LintSettings, lintDocument } from '../lint/lint-document.ts'
import { prettyReport } from '../lint/pretty.ts'
import { type Input, parseInput, readInput, stdinName, writeOutput } from '../read-input.ts'
import { wireOption } from '../wire-option.ts'

/** A repair may uncover another; no real document needs more rounds than this. */
const maxRounds = 10

export async function run(args: Arguments, io: Io): Promise<number> {
  const settings = readSettings(args)
  const maxWarnings = readMaxWarnings(args.value('max-warnings'))
  const files = args.positionals.length === 0 ? ['-'] : [...new Set(args.positionals)]
  const reports: DocumentReport[] = []
  let fixed = 0
  let unreadable = false
  for (const file of files) {
    try {
      const input = await readInput(file, io)
      const result = lintInput(input, settings, args.flag('fix'), io)
      reports.push(result.report)
      fixed += result.fixed
      if (args.flag('fix')) await writeBack(input, result.report.document.text, io)
    } catch (error) {
      // One unreadable file must not hide what the others hold.
      if (!(error instanceof InputError)) throw error
      unreadable = true
      complain(error, io)
    }
  }
  if (reports.length > 0) {
    const output = args.flag('fix') && files.includes('-') ? io.stderr : io.stdout
    const shown = args.flag('quiet') ? reports.map(withoutNotes) : reports
    output.write(await render(args.value('format') ?? 'pretty', shown, fixed, output, io))
  }
  if (unreadable) return exitCodes.usage
  const all = reports.flatMap(({ findings }) => findings)
  const errors = all.filter(({ severity }) => severity === 'error').length
  const warnings = all.filter(({ severity }) => severity === 'warning').length
  return errors > 0 || warnings > maxWarnings ? exitCodes.findings : exitCodes.ok
}

function lintInput(
  input: Input,
  settings: LintSettings,
  fix: boolean,
  io: Io,
): { report: DocumentReport; fixed: number } {
  let report = lintDocument(input.name, parseInput(input, parseDocument, io), settings)
  let fixed = 0
  for (let round = 0; fix && round < maxRounds; round++) {
    const fixes = report.findings.flatMap(finding => finding.fix ?? [])
    const { text, applied } = applyFixes(report.document, fixes)
    if (applied === 0) break
    fixed += applied
    report = lintDocument(input.name, parseDocument(text), settings)
  }
  return { report, fixed }
}

function withoutNotes(report: DocumentReport): DocumentReport {
  return { ...report, findings: report.findings.filter(({ severity }) => severity !== 'info') }
}

async function writeBack(input: Input, text: string, io: Io): Promise<void> {
  if (input.name === stdinName) io.stdout.write(text)
  else if (text !== input.text) await writeOutput(input.name, text, io)
}

async function render(
  format: string,
  reports: readonly DocumentReport[],
  fixed: number,
  output: Output,
  io: Io,
): Promise<string> {
  switch (format) {
    case 'json':
      return jsonReport(reports, fixed)
    case 'github':
      return githubReport(reports)
    case 'sarif':
      return (await import('../lint/sarif.ts')).sarifReport(reports)
    default:
      return prettyReport(reports, fixed, output, colorsFor(output, io.env))
  }
}

function readSettings(args: Arguments): LintSettings {
  const from = wireOption('--from', args.value('from'))
  const targets = args
    .values('target')
    .flatMap(list => list.split(','))
    .map(name => wireOption('--target', name.trim()))
  return { targets: [...new Set(targets)], strict: args.flag('strict'), ...(from && { from }) }
}

function readMaxWarnings(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--max-warnings must be a whole number.')
  return Number(text)
}
