/** What the command prints on stderr when it fails. */
import { ConfigError, lineOf } from '../config/config-error.ts'
import { colorsFor } from '../terminal/colors.ts'
import { InputError, type UsageError } from '../terminal/errors.ts'
import type { Io } from '../terminal/io.ts'
import { printable } from '../terminal/printable.ts'
import { exitCodes } from './exit-codes.ts'

/** Prints on stderr what went wrong, and what may help. */
export function printError(error: UsageError | InputError, { stderr, env }: Io): void {
  const colors = colorsFor(stderr, env)
  stderr.write(`${colors.bold(colors.red('error'))}: ${error.message}\n`)
  if (error instanceof InputError) stderr.write(error.detail)
  else if (error.hint !== undefined) stderr.write(`${error.hint}\n`)
}

/** One line for a bug; the stack is printed only with DEBUG. */
export function reportBug(error: unknown, { stderr, env }: Pick<Io, 'stderr' | 'env'>): number {
  const colors = colorsFor(stderr, env)
  const what = printable(error instanceof Error ? error.message : String(error))
  const advice = 'Please report it; DEBUG=1 shows where.'
  stderr.write(
    `${colors.bold(colors.red('bug'))}: toolwire failed where it never should: ${what}. ${advice}\n`,
  )
  if (env.DEBUG !== undefined && env.DEBUG !== '' && error instanceof Error) stderr.write(`${error.stack}\n`)
  return exitCodes.bug
}

/** The exit code of the work; if the configuration is wrong, all problems are printed and the code is the one for that. */
export async function orConfigFailure(io: Io, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const colors = colorsFor(io.stderr, io.env)
    for (const problem of error.problems) {
      io.stderr.write(`${colors.bold(colors.red('error'))}: ${lineOf(problem)}\n${problem.frame ?? ''}`)
    }
    return exitCodes.config
  }
}
