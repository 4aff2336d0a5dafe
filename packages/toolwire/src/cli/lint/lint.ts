/** `toolwire lint`: findings with their positions, in several formats, and repairs written back. */

import type { WireSet } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { InputError, UsageError } from '../../terminal/errors.ts'
import type { Io, Output } from '../../terminal/io.ts'
import { nameOf, parseInput, readInput, writeOutput } from '../../terminal/read-input.ts'
import { type Arguments, wireOption } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printError } from '../print-error.ts'
import type { FailedFile, LintedFile, LintRun, LintSettings } from './lint-document.ts'
import { lintDocument, repairDocument } from './lint-document.ts'
import { notesOn, prettyReport, repairLines } from './pretty.ts'

type Mode = 'look' | 'fix' | 'dry-run'

export async function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const settings = readSettings(args, wires)
  const mode = readMode(args)
  const maxWarnings = readMaxWarnings(args.value('max-warnings'))
  const names = args.positionals.length === 0 ? ['-'] : [...new Set(args.positionals)]
  const files: LintedFile[] = []
  const failed: FailedFile[] = []
  for (const name of names) {
    try {
      files.push(await lintFile(name, settings, mode, io))
    } catch (error) {
      // One unreadable file must not hide what the others hold.
      if (!(error instanceof InputError)) throw error
      const { reason, place } = error
      failed.push({ name: nameOf(name), reason, ...(place && { place }) })
      printError(error, io)
    }
  }
  // The repaired JSON has stdout to itself.
  const output = mode === 'fix' && names.includes('-') ? io.stderr : io.stdout
  await report({ files, failed, dryRun: mode === 'dry-run' }, args, output, io)
  if (failed.length > 0) return exitCodes.usage
  const all = files.flatMap(({ report }) => report.findings)
  const errors = all.filter(({ severity }) => severity === 'error').length
  const warnings = all.filter(({ severity }) => severity === 'warning').length
  return errors > 0 || warnings > maxWarnings ? exitCodes.findings : exitCodes.ok
}

async function lintFile(file: string, settings: LintSettings, mode: Mode, io: Io): Promise<LintedFile> {
  const input = await readInput(file, io)
  const document = parseInput(input, io)
  const repaired = mode === 'look' ? undefined : repairDocument(input.name, document, settings)
  // A dry run writes nothing, so the findings are those of the file as it is.
  if (repaired === undefined || mode === 'dry-run') {
    return { report: lintDocument(input.name, document, settings), repairs: repaired?.repairs ?? [] }
  }
  const { text } = repaired.report.document
  if (file === '-') io.stdout.write(input.mark + text)
  else if (text !== input.text) await writeOutput(file, input.mark + text, io)
  return repaired
}

async function report(run: LintRun, args: Arguments, output: Output, io: Io): Promise<void> {
  const format = args.value('format') ?? (args.flag('json') ? 'json' : 'pretty')
  const shown = args.flag('quiet') ? { ...run, files: run.files.map(withoutNotes) } : run
  const { stderr } = io
  const colors = colorsFor(stderr, io.env)
  if (format === 'json') {
    output.write((await import('./reports.ts')).jsonReport(shown))
    return
  }
  for (const note of notesOn(run.files.map(({ report }) => report))) stderr.write(`${colors.dim(note)}\n`)
  if (format === 'pretty') {
    if (run.files.length > 0) output.write(prettyReport(shown, output, colorsFor(output, io.env)))
    return
  }
  stderr.write(repairLines(run, colors))
  const { githubReport, sarifReport } = await import('./reports.ts')
  output.write(format === 'github' ? githubReport(shown) : sarifReport(shown))
}

function withoutNotes({ report, repairs }: LintedFile): LintedFile {
  const findings = report.findings.filter(({ severity }) => severity !== 'info')
  return { report: { ...report, findings }, repairs }
}

function readMode(args: Arguments): Mode {
  if (args.flag('fix') && args.flag('fix-dry-run')) {
    throw new UsageError('--fix writes and --fix-dry-run does not; choose one.')
  }
  return args.flag('fix') ? 'fix' : args.flag('fix-dry-run') ? 'dry-run' : 'look'
}

function readSettings(args: Arguments, wires: WireSet): LintSettings {
  const from = wireOption('--from', args.value('from'), wires)
  const targets = args
    .values('target')
    .flatMap(list => list.split(','))
    .map(name => wireOption('--target', name.trim(), wires))
  return { targets: [...new Set(targets)], strict: args.flag('strict'), wires, ...(from && { from }) }
}

function readMaxWarnings(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--max-warnings must be a whole number.')
  return Number(text)
}
