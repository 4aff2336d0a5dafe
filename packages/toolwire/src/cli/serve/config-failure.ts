/** What the commands that read the configuration do when it is wrong. */
import { ConfigError, lineOf } from '../../config/config-error.ts'
import { colorsFor } from '../../terminal/colors.ts'
import type { Io } from '../../terminal/io.ts'
import { exitCodes } from '../exit-codes.ts'

/** The exit code of the work, or, after telling all that is wrong with the configuration, the one for that. */
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
