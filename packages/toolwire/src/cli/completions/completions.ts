/** `toolwire completions`: what a shell offers at the tab key, made from the table of commands. */
import type { WireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { type Arguments, checkChoice } from '../arguments.ts'
import type { CommandTable } from '../command-spec.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Completed, completedCommands } from './completed.ts'
import { bashScript, fishScript, zshScript } from './shells.ts'

const shells: { readonly [shell: string]: (all: readonly Completed[]) => string } = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export function checkSubject({ positionals: [shell, ...more] }: Arguments): void {
  if (more.length > 0) throw new UsageError('One shell at a time, please.')
  if (shell !== undefined) checkChoice('The shell', shell, Object.keys(shells))
}

export async function run(args: Arguments, io: Io, wires: WireSet, commands: CommandTable): Promise<number> {
  checkSubject(args)
  // Most people want it for the shell that they type this in.
  const shell = args.positionals[0] ?? io.env.SHELL?.split('/').at(-1) ?? ''
  const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (script === undefined) throw new UsageError('Name the shell: toolwire completions bash, zsh or fish.')
  io.stdout.write(script(completedCommands(commands, wires)))
  return exitCodes.ok
}
