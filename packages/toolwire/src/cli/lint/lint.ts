/** `toolwire lint`: findings with their positions, in several formats, and repairs written back. */

import { loadConfig } from '../../config/load-config.ts'
import type { WireSet } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { InputError, ReachError, UnloadedError, UsageError } from '../../terminal/errors.ts'
import type { Io, Output } from '../../terminal/io.ts'
import { nameOf, writeOutput } from '../../terminal/read-input.ts'
import { plural } from '../../terminal/table.ts'
import { type Arguments, sourceFlag, wireOption } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { holdsTools } from '../input.ts'
import { orConfigFailure, printError } from '../print-error.ts'
import type { FailedFile, LintedFile, LintRun, LintSettings } from './lint-document.ts'
import { lintDocument, repairDocument } from './lint-document.ts'
import { notesOn, prettyReport, repairLines } from './pretty.ts'
import { expandNames } from './sources/expand-names.ts'
import type { LintSource } from './sources/lint-source.ts'
import { readSources } from './sources/read-sources.ts'
import { watchAndLint } from './watch.ts'

type Mode = 'look' | 'fix' | 'dry-run'

export async function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  return orConfigFailure(io, async () => {
    const settings = await readSettings(args, io, wires)
    const mode = readMode(args)
    const maxWarnings = readMaxWarnings(args.value('max-warnings')) ?? settings.maxWarnings
    const lintAll = (version: number): Promise<number> =>
      lintOnce({ args, io, settings, mode, maxWarnings, version })
    if (!args.flag('watch')) return lintAll(0)
    if (mode === 'fix') throw new UsageError('--watch only looks; run --fix apart from it.')
    return watchAndLint(namesOf(args), io, lintAll)
  })
}

interface LintJob {
  readonly args: Arguments
  readonly io: Io
  readonly settings: LintSettings
  readonly mode: Mode
  readonly maxWarnings: number
  readonly version: number
}

function namesOf(args: Arguments): string[] {
  const named = [...new Set(args.positionals)]
  return named.length === 0 && args.values('mcp').length === 0 ? ['-'] : named
}

async function lintOnce({ args, io, settings, mode, maxWarnings, version }: LintJob): Promise<number> {
  const names = namesOf(args)
  const files: LintedFile[] = []
  const failed: FailedFile[] = []
  const passedOver: UnloadedError[] = []
  let isUnreached = true
  const attempt = async (name: string, isFound: boolean, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      // One unreadable file must not hide what the others hold; what lies in a folder may be about something else.
      if (!(error instanceof InputError)) throw error
      if (isFound) {
        if (error instanceof UnloadedError) passedOver.push(error)
        return
      }
      if (!(error instanceof ReachError)) isUnreached = false
      const { reason, place } = error
      failed.push({ name: nameOf(name), reason, ...(place && { place }) })
      printError(error, io)
    }
  }
  for (const { path, isFound } of await expandNames(names, io)) {
    await attempt(path, isFound, async () => {
      // Tools of programs are sent on a wire, whatever they were made for.
      const wire = settings.wires.all.find(one => one === settings.from) ?? settings.wires.all[0]
      if (wire === undefined) throw new TypeError('There are no wires.')
      for (const source of await readSources(path, wire, io, version)) {
        const { from: stated, wires } = settings
        if (isFound && !holdsTools(source.document.value, source.name, { wires, stated })) continue
        files.push(await lintSource(source, settings, mode, io))
      }
    })
  }
  for (const command of args.values('mcp')) {
    await attempt(command, false, async () => {
      const { readMcpSource } = await import('./sources/mcp-source.ts')
      files.push(await lintSource(await readMcpSource(command, io), settings, 'look', io))
    })
  }
  for (const line of passedOverLines(passedOver)) io.stderr.write(`${line}\n`)
  if (files.length === 0 && failed.length === 0) throw new UsageError('There are no tools in these folders.')
  // The repaired JSON has stdout to itself.
  const output = mode === 'fix' && names.includes('-') ? io.stderr : io.stdout
  await report({ files, failed, dryRun: mode === 'dry-run' }, args, output, io)
  if (failed.length > 0) return isUnreached ? exitCodes.upstream : exitCodes.usage
  const all = files.flatMap(({ report }) => report.findings)
  const errors = all.filter(({ severity }) => severity === 'error').length
  const warnings = all.filter(({ severity }) => severity === 'warning').length
  return errors > 0 || warnings > maxWarnings ? exitCodes.findings : exitCodes.ok
}

/** One line for each reason: a folder may hold many of a kind. */
function passedOverLines(errors: readonly UnloadedError[]): string[] {
  return [...new Set(errors.map(({ reason }) => reason))].map(why => {
    const [first, ...more] = errors.filter(({ reason }) => reason === why)
    const others = more.length === 0 ? '' : ` and ${plural(more.length, 'other file')}`
    return `${first?.file}${others}: not read. ${why}`
  })
}

async function lintSource(
  source: LintSource,
  settings: LintSettings,
  mode: Mode,
  io: Io,
): Promise<LintedFile> {
  const repaired = mode === 'look' || source.file === undefined ? undefined : repairDocument(source, settings)
  // A dry run writes nothing, so the findings are those of the file as it is.
  if (repaired === undefined || mode === 'dry-run') {
    return { report: lintDocument(source, settings), repairs: repaired?.repairs ?? [] }
  }
  const { text } = repaired.report.document
  const { path = '-', mark = '' } = source.file ?? {}
  if (path === '-') io.stdout.write(mark + text)
  else if (text !== source.text) await writeOutput(path, mark + text, io)
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

/** Flags win over the configuration; a configuration that is not there, or is about other things, changes nothing. */
async function readSettings(
  args: Arguments,
  io: Io,
  wires: WireSet,
): Promise<LintSettings & { readonly maxWarnings: number }> {
  const found = await loadConfig(args.value('config'), io, wires)
  const config = found?.config.lint ?? {}
  const from = sourceFlag('--from', args.value('from'), wires)
  const named = args.values('target').flatMap(list => list.split(','))
  const targets = (named.length > 0 ? named : (config.targets ?? [])).map(name =>
    wireOption('--target', name.trim(), wires),
  )
  return {
    targets: [...new Set(targets)],
    strict: args.flag('strict') || config.strict === true,
    ignore: config.ignore ?? [],
    maxWarnings: config.maxWarnings ?? 0,
    wires,
    ...(from && { from }),
  }
}

function readMaxWarnings(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--max-warnings must be a whole number.')
  return Number(text)
}
