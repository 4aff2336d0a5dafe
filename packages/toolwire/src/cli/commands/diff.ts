/** `toolwire diff`: one document on the three wires, and what each of them loses. */

import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import type { Arguments } from '../arguments.ts'
import { looksLikeEvents } from '../body-kind.ts'
import { guessNote, writeNotes } from '../convert/write-result.ts'
import { onThreeWires } from '../diff/three-wires.ts'
import { diffView } from '../diff/view.ts'
import { exitCodes } from '../exit-codes.ts'
import { wireOption } from '../wire-option.ts'

export async function run(args: Arguments, io: Io): Promise<number> {
  const [file = '-', ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One file at a time, please.', 'It is shown on all three wires.')
  const stated = wireOption('--from', args.value('from'))
  const input = await readInput(file, io)
  if (looksLikeEvents(input.text)) {
    throw new UsageError('A stream cannot be shown side by side.', '"toolwire convert stream" converts it.')
  }
  const three = onThreeWires(parseInput(input, io), stated, input.name)
  const { stdout, env } = io
  if (args.flag('json')) stdout.write(`${JSON.stringify(three.views, null, 2)}\n`)
  else {
    if (stated === undefined) writeNotes([guessNote(three.from)], io)
    stdout.write(diffView(three, widthOf(stdout), args.flag('full'), colorsFor(stdout, env)))
  }
  return exitCodes.ok
}
