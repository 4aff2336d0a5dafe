/** `toolwire store`: what operators do with the file of a store, while the gateway may be running. */
import { resolve } from 'node:path'
import { ConfigError } from '../../config/config-error.ts'
import { loadValidSettings } from '../../config/read-settings.ts'
import { builtInWireSet, type WireSet } from '../../config/wires.ts'
import { StoreError } from '../../store/store-error.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { didYouMean } from '../../terminal/suggest.ts'
import { plural } from '../../terminal/table.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../print-error.ts'
import { type Environment, machineOf, processEnvironment } from '../serve/environment.ts'
import { layersOver } from '../serve/flag-layers.ts'

const subjects = ['backup', 'verify', 'vacuum'] as const

type Subject = (typeof subjects)[number]

export function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  return runStore(args, io, processEnvironment, wires)
}

export async function runStore(
  args: Arguments,
  io: Io,
  world: Environment,
  wires: WireSet = builtInWireSet,
): Promise<number> {
  const subject = checkSubject(args)
  const [, target, ...more] = args.positionals
  if (subject === undefined) throw new UsageError('Say what to do: backup, verify or vacuum.')
  if (subject === 'backup' && target === undefined)
    throw new UsageError('Name the file to copy the store to.')
  if (more.length > 0 || (subject !== 'backup' && target !== undefined)) {
    throw new UsageError(`"store ${subject}" takes no "${printable(more[0] ?? target ?? '')}".`)
  }
  return orConfigFailure(io, async () => {
    const path = await pathOf(args, io, world, wires)
    const action = { io, path, target: resolve(io.cwd, target ?? ''), json: args.flag('json') }
    try {
      return await actions[subject](action)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      throw new ConfigError([{ message: error.message }])
    }
  })
}

/** What is to be done, if anything is named. */
export function checkSubject({ positionals: [word] }: Arguments): Subject | undefined {
  const subject = subjects.find(name => name === word)
  if (word === undefined || subject !== undefined) return subject
  const hint = didYouMean(word, subjects) ?? `There are ${subjects.join(', ')}.`
  throw new UsageError(`There is no "store ${printable(word)}".`, hint)
}

async function pathOf(args: Arguments, io: Io, world: Environment, wires: WireSet): Promise<string> {
  const file = args.value('config')
  const wanted = { wires, over: layersOver(args, io, wires), ...(file !== undefined && { file }) }
  const { settings } = await loadValidSettings(wanted, io, machineOf(io, world))
  if (settings.store.kind === 'sqlite') return settings.store.path
  throw new ConfigError([
    {
      message: `The store is "${settings.store.kind}", which is not a file.`,
      remedy: 'Name one with --store.',
    },
  ])
}

interface Action {
  readonly io: Io
  readonly path: string
  readonly target: string
  readonly json: boolean
}

const actions: { readonly [S in Subject]: (action: Action) => Promise<number> } = {
  backup: backUp,
  verify,
  vacuum,
}

async function backUp({ io, path, target, json }: Action): Promise<number> {
  const { backupSqliteFile, verifySqliteFile } = await import('../../store/sqlite-tools.ts')
  await backupSqliteFile(path, target)
  const { records, problems } = await verifySqliteFile(target)
  const isGood = problems.length === 0
  if (json) write(io, { ok: isGood, path, target, records, problems })
  else if (isGood)
    io.stdout.write(`${printable(target)} is a verified copy with ${plural(records, 'record')}.\n`)
  else list(io, `${printable(target)} was written, but the store itself is damaged:`, problems)
  return isGood ? exitCodes.ok : exitCodes.findings
}

async function verify({ io, path, json }: Action): Promise<number> {
  const { verifySqliteFile } = await import('../../store/sqlite-tools.ts')
  const { records, problems, isOld } = await verifySqliteFile(path)
  const isGood = problems.length === 0
  if (json) write(io, { ok: isGood, path, records, problems, hasChecksums: !isOld })
  else if (!isGood) list(io, `${printable(path)} is damaged:`, problems)
  else if (isOld)
    io.stdout.write(`${printable(path)} is sound. It has no checksums yet; "serve" adds them.\n`)
  else io.stdout.write(`${printable(path)} is sound: ${plural(records, 'record')}, each as it was written.\n`)
  return isGood ? exitCodes.ok : exitCodes.findings
}

async function vacuum({ io, path, json }: Action): Promise<number> {
  const { vacuumSqliteFile } = await import('../../store/sqlite-tools.ts')
  const [before, after] = await vacuumSqliteFile(path)
  if (json) write(io, { ok: true, path, before, after })
  else io.stdout.write(`${printable(path)} had ${before} bytes and has ${after}.\n`)
  return exitCodes.ok
}

function write({ stdout }: Io, value: object): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

function list({ stdout }: Io, title: string, problems: readonly string[]): void {
  stdout.write(`${title}\n${problems.map(problem => `  ${printable(problem)}\n`).join('')}`)
  stdout.write('Put a backup in its place, or delete what is damaged.\n')
}
