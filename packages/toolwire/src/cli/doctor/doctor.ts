/** One examination, for people or for programs. */

import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import type { DoctorEnvironment } from './environment.ts'
import { examine } from './examine.ts'
import { checksView } from './view.ts'

export async function doctor(args: Arguments, io: Io, world: DoctorEnvironment): Promise<number> {
  if (args.positionals.length > 0) {
    throw new UsageError('The doctor takes no arguments.', 'A configuration file is named with --config.')
  }
  const file = args.value('config')
  const checks = await examine(file === undefined ? {} : { file }, io, world)
  const isWell = checks.every(({ status }) => status !== 'problem')
  const { stdout, env } = io
  if (args.flag('json')) stdout.write(`${JSON.stringify({ ok: isWell, checks }, null, 2)}\n`)
  else stdout.write(checksView(checks, stdout, colorsFor(stdout, env)))
  return isWell ? exitCodes.ok : exitCodes.findings
}
