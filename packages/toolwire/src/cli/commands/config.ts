/** `toolwire config`: what the gateway would run with. */

import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { didYouMean } from '../../terminal/suggest.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../serve/config-failure.ts'
import type { Environment } from '../serve/environment.ts'

const subjects = ['print', 'check', 'schema'] as const

export async function run(args: Arguments, io: Io): Promise<number> {
  const { processEnvironment } = await import('../serve/environment.ts')
  return runConfig(args, io, processEnvironment)
}

export async function runConfig(args: Arguments, io: Io, world: Environment): Promise<number> {
  const subject = checkSubject(args)
  const [, ...more] = args.positionals
  if (subject === undefined) throw new UsageError('Say what to do: print, check or schema.')
  if (more.length > 0) throw new UsageError('One thing at a time, please.', 'A file is named with --config.')
  return orConfigFailure(io, async () => {
    switch (subject) {
      case 'schema':
        return writeSchema(io)
      default:
        return look(subject, args, io, world)
    }
  })
}

/** What is to be done, if anything is said. */
export function checkSubject({ positionals: [word] }: Arguments): (typeof subjects)[number] | undefined {
  const subject = subjects.find(name => name === word)
  if (word === undefined || subject !== undefined) return subject
  const hint = didYouMean(word, subjects) ?? `There are ${subjects.join(', ')}.`
  throw new UsageError(`There is no "config ${printable(word)}".`, hint)
}

async function writeSchema(io: Io): Promise<number> {
  const { configJsonSchema } = await import('../../config/json-schema.ts')
  io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  return exitCodes.ok
}

async function look(
  subject: 'print' | 'check',
  args: Arguments,
  io: Io,
  world: Environment,
): Promise<number> {
  const { checkConfig, printConfig } = await import('../serve/config-views.ts')
  const file = args.value('config')
  const wanted = { ...(file !== undefined && { file }) }
  const json = args.flag('json')
  return subject === 'print' ? printConfig(wanted, json, io, world) : checkConfig(wanted, json, io, world)
}
