/** One run of the command from its arguments to its exit code. It reaches the outside only through `io`. */

import { loadWires } from '../config/load-module.ts'
import { builtInWireSet, type WireSet } from '../config/wires.ts'
import { colorsFor } from '../terminal/colors.ts'
import { InputError, ReachError, UsageError } from '../terminal/errors.ts'
import { type Io, widthOf } from '../terminal/io.ts'
import { printable } from '../terminal/printable.ts'
import { didYouMean } from '../terminal/suggest.ts'
import { type Arguments, parseArguments, sourceFlag, wireOption } from './arguments.ts'
import { type CommandSpec, helpOption } from './command-spec.ts'
import { commands } from './command-table.ts'
import { exitCodes } from './exit-codes.ts'
import { commandHelp, globalOptions, mainHelp, type Page } from './help.ts'
import { printError, reportBug } from './print-error.ts'
import { version } from './version.ts'

export async function run(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  try {
    if (name === undefined || name.startsWith('-')) return runBare(argv, io)
    if (name === 'help') return runHelp(rest, io)
    return await runCommand(findCommand(name), rest, io)
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof InputError)) return reportBug(error, io)
    printError(error, io)
    if (error instanceof UsageError) io.stderr.write(helpHint(name, io))
    return error instanceof ReachError ? exitCodes.upstream : exitCodes.usage
  }
}

async function runCommand(spec: CommandSpec, argv: readonly string[], io: Io): Promise<number> {
  const args = parseArguments(argv, { ...spec.options, help: helpOption }, () => spec.ofAgent?.strangeFlag)
  const asksForHelp = args.flag('help')
  const wires = await loadWires(args.values('wires'), io)
  if (asksForHelp && args.positionals.length === 0) return print(commandHelp(spec, pageOf(io, wires)), io)
  const command = await spec.load()
  command.checkSubject?.(args)
  if (asksForHelp) return print(commandHelp(spec, pageOf(io, wires)), io)
  checkWireFlags(spec, args, wires)
  return command.run(args, io, wires, commands)
}

function checkWireFlags({ options }: CommandSpec, args: Arguments, wires: WireSet): void {
  for (const [name, { isWire, type }] of Object.entries(options)) {
    // Lists are parted by their command.
    if (type === 'values') continue
    if (isWire === true) wireOption(`--${name}`, args.value(name), wires)
    if (isWire === 'or mcp') sourceFlag(`--${name}`, args.value(name), wires)
  }
}

function runBare(argv: readonly string[], io: Io): number {
  // The table has room for one letter, and people try both.
  const args = parseArguments(
    argv.map(word => (word === '-v' ? '-V' : word)),
    globalOptions,
    ownersOf,
  )
  if (args.positionals.length > 0) throw new UsageError('The command comes before its options.')
  return print(args.flag('version') ? `${version()}\n` : mainHelp(pageOf(io)), io)
}

function runHelp(argv: readonly string[], io: Io): number {
  const [topic] = parseArguments(argv, globalOptions).positionals
  const page = pageOf(io)
  return print(topic === undefined ? mainHelp(page) : commandHelp(findCommand(topic), page), io)
}

/** A flag of some command, without its command. */
function ownersOf(flag: string): string | undefined {
  const owners = Object.keys(commands).filter(name => Object.hasOwn(commands[name]?.options ?? {}, flag))
  const [first, ...more] = owners
  if (first === undefined) return undefined
  const others = more.length === 0 ? '' : `, and of ${more.join(', ')}`
  return `It is a flag of a command: "toolwire ${first} --${flag}"${others}.`
}

function findCommand(name: string): CommandSpec {
  const spec = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (spec !== undefined) return spec
  const names = Object.keys(commands)
  const hint = didYouMean(name, [...names, 'help']) ?? `There are ${names.join(', ')} and help.`
  throw new UsageError(`There is no command "${printable(name)}".`, hint)
}

function pageOf({ stdout, env }: Io, wires: WireSet = builtInWireSet): Page {
  return { colors: colorsFor(stdout, env), width: widthOf(stdout), wires }
}

function print(text: string, io: Io): number {
  io.stdout.write(text)
  return exitCodes.ok
}

function helpHint(name: string | undefined, io: Io): string {
  const command = name !== undefined && Object.hasOwn(commands, name) ? `${name} ` : ''
  return colorsFor(io.stderr, io.env).dim(`Run "toolwire ${command}--help" for help.\n`)
}
