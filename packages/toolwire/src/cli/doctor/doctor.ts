/** `toolwire doctor`: whether a gateway would run here, and what is in the way. */
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import type { WireSet } from '../../config/wires.ts'
import { builtInWireSet } from '../../config/wires.ts'
import { type Colors, colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import { type Io, type Output, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { plural, wrap } from '../../terminal/table.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { processEnvironment } from '../serve/environment.ts'
import { openStore } from '../serve/open-store.ts'
import type { Check, DoctorEnvironment } from './check-machine.ts'
import { examine } from './examine.ts'

/** More would take longer than somebody waits for the doctor. */
const mostVerifiedBytes = 512 * 1024 * 1024

export const processDoctorEnvironment: DoctorEnvironment = {
  ...processEnvironment,
  nodeVersion: process.versions.node,
  openStore,
  async verifyStore(path) {
    if (statSync(path).size > mostVerifiedBytes) return undefined
    const { verifySqliteFile } = await import('../../store/sqlite-tools.ts')
    return (await verifySqliteFile(path)).problems
  },
  tryPort: (host, port) =>
    new Promise((resolve, reject) => {
      const server = createServer()
      server.once('error', reject)
      server.listen(port, host, () => server.close(() => resolve()))
    }),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}

export function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  return doctor(args, io, processDoctorEnvironment, wires)
}

export async function doctor(
  args: Arguments,
  io: Io,
  world: DoctorEnvironment,
  wires: WireSet = builtInWireSet,
): Promise<number> {
  if (args.positionals.length > 0) {
    throw new UsageError('The doctor takes no arguments.', 'A configuration file is named with --config.')
  }
  const file = args.value('config')
  const checks = await examine({ wires, ...(file !== undefined && { file }) }, io, world)
  const isWell = checks.every(({ status }) => status !== 'problem')
  const { stdout, env } = io
  if (args.flag('json')) stdout.write(`${JSON.stringify({ ok: isWell, checks }, null, 2)}\n`)
  else stdout.write(checksView(checks, stdout, colorsFor(stdout, env)))
  if (isWell) return exitCodes.ok
  // Whoever waits for a model server wants to tell that from a mistake of his own.
  const problems = checks.filter(({ status }) => status === 'problem')
  return problems.every(({ name }) => name.startsWith('upstream ')) ? exitCodes.upstream : exitCodes.findings
}

const marks = { ok: '✓', warning: '!', problem: '✗' } as const

function checksView(checks: readonly Check[], output: Output, colors: Colors): string {
  const nameWidth = Math.max(...checks.map(({ name }) => printable(name).length))
  const indent = ' '.repeat(nameWidth + 6)
  const width = Math.max(40, widthOf(output) - indent.length)
  const rows = checks.map(({ name, status, message, remedy }) => {
    const lines = wrap(printable(message), width)
    const advice = remedy === undefined ? [] : wrap(printable(remedy), width).map(line => colors.dim(line))
    const mark = paint(status, marks[status], colors)
    return `  ${mark} ${printable(name).padEnd(nameWidth)}  ${[...lines, ...advice].join(`\n${indent}`)}\n`
  })
  return `${rows.join('')}\n${summary(checks, colors)}\n`
}

function paint(status: Check['status'], text: string, colors: Colors): string {
  if (status === 'problem') return colors.red(text)
  return status === 'warning' ? colors.yellow(text) : colors.green(text)
}

function summary(checks: readonly Check[], colors: Colors): string {
  const count = (status: Check['status']): number => checks.filter(check => check.status === status).length
  const problems = count('problem')
  const warnings = count('warning')
  if (problems + warnings === 0) return colors.green('All is well.')
  const parts = [
    ...(problems > 0 ? [colors.red(plural(problems, 'problem'))] : []),
    ...(warnings > 0 ? [colors.yellow(plural(warnings, 'warning'))] : []),
  ]
  return `${parts.join(', ')}.`
}
