/** The end of every conversion: the value on stdout, the diagnostics on stderr, the exit code. */
import type { Diagnostic, WireDefinition } from '@toolwire/core'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { countSeverities, diagnosticsTable } from '../../terminal/table.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'

interface Result {
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
  readonly notes: readonly (string | undefined)[]
  /** Printed before a path that begins with an index. */
  readonly root?: string
}

export function writeResult({ value, diagnostics, notes, root }: Result, args: Arguments, io: Io): number {
  const indent = args.flag('compact') ? undefined : 2
  const quiet = args.flag('json')
  io.stdout.write(`${JSON.stringify(quiet ? { value, diagnostics } : value, null, indent)}\n`)
  if (!quiet) {
    writeNotes(notes, io)
    writeDiagnostics(diagnostics, io, root)
  }
  return exitCodeFor(diagnostics, args)
}

export function writeNotes(notes: readonly (string | undefined)[], { stderr, env }: Io): void {
  const colors = colorsFor(stderr, env)
  for (const note of notes) if (note !== undefined) stderr.write(`${colors.dim(note)}\n`)
}

export function writeDiagnostics(diagnostics: readonly Diagnostic[], { stderr, env }: Io, root = ''): void {
  if (diagnostics.length === 0) return
  const colors = colorsFor(stderr, env)
  stderr.write(`\n${diagnosticsTable(diagnostics, stderr, colors, root)}\n`)
  const more = 'Ask "toolwire explain <code>" about any of them.'
  stderr.write(`${countSeverities(diagnostics)}. ${colors.dim(more)}\n`)
}

export function exitCodeFor(diagnostics: readonly Diagnostic[], args: Arguments): number {
  const lost = diagnostics.some(({ severity }) => severity !== 'info')
  const failed = diagnostics.some(({ severity }) => severity === 'error')
  return failed || (lost && args.flag('strict')) ? exitCodes.findings : exitCodes.ok
}

/** Where a wire was guessed, the user should know. */
export function guessNote({ name }: Pick<WireDefinition, 'name'>): string {
  return `Read as ${name}; name another with --from.`
}

export function unknownWire(what = 'The input'): UsageError {
  return new UsageError(`${what} does not show which wire it is written for.`, 'Name it with --from.')
}
