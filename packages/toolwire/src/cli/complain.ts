import { colorsFor } from './colors.ts'
import { InputError, type UsageError } from './errors.ts'
import type { Io } from './io.ts'

/** Says on stderr what went wrong, and what may help. */
export function complain(error: UsageError | InputError, { stderr, env }: Io): void {
  const colors = colorsFor(stderr, env)
  stderr.write(`${colors.bold(colors.red('error'))}: ${error.message}\n`)
  if (error instanceof InputError) stderr.write(error.detail ?? '')
  else if (error.hint !== undefined) stderr.write(`${error.hint}\n`)
}
