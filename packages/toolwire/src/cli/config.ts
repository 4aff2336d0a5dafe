/** `toolwire config`: the settings a gateway would run with, each with its origin. */
import type { Path } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import type { Settings, ToolwireConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Layer } from '../config/layers.ts'
import { defaultOrigin, mergeLayers, originOf } from '../config/layers.ts'
import { maskConfig } from '../config/mask-config.ts'
import { loadValidSettings, readSettings, type Wanted } from '../config/read-settings.ts'
import { builtInWireSet, type WireSet } from '../config/wires.ts'
import { type Colors, colorsFor } from '../terminal/colors.ts'
import { UsageError } from '../terminal/errors.ts'
import { formatPath } from '../terminal/format-path.ts'
import type { Io } from '../terminal/io.ts'
import { printable } from '../terminal/printable.ts'
import { didYouMean } from '../terminal/suggest.ts'
import { plural } from '../terminal/table.ts'
import type { Arguments } from './arguments.ts'
import { exitCodes } from './exit-codes.ts'
import { orConfigFailure } from './print-error.ts'
import { type Environment, machineOf, processEnvironment } from './serve/environment.ts'
import { envLayers } from './serve/flag-layers.ts'

const subjects = ['print', 'check', 'schema'] as const

type Subject = (typeof subjects)[number]

export function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  return runConfig(args, io, processEnvironment, wires)
}

export async function runConfig(
  args: Arguments,
  io: Io,
  world: Environment,
  wires: WireSet = builtInWireSet,
): Promise<number> {
  const subject = checkSubject(args)
  const [, ...more] = args.positionals
  if (subject === undefined) throw new UsageError('Say what to do: print, check or schema.')
  if (more.length > 0) throw new UsageError('One thing at a time, please.', 'A file is named with --config.')
  const file = args.value('config')
  const wanted = { wires, ...(file !== undefined && { file }) }
  return orConfigFailure(io, () => actions[subject](wanted, args.flag('json'), io, world))
}

/** What is to be done, if anything is named. */
export function checkSubject({ positionals: [word] }: Arguments): Subject | undefined {
  const subject = subjects.find(name => name === word)
  if (word === undefined || subject !== undefined) return subject
  const hint = didYouMean(word, subjects) ?? `There are ${subjects.join(', ')}.`
  throw new UsageError(`There is no "config ${printable(word)}".`, hint)
}

type Action = (wanted: Wanted, json: boolean, io: Io, world: Environment) => Promise<number>

const actions: { readonly [S in Subject]: Action } = {
  print: printConfig,
  check: checkConfig,
  schema: printSchema,
}

async function printSchema(_: Wanted, _json: boolean, io: Io): Promise<number> {
  const { configJsonSchema } = await import('../config/json-schema.ts')
  io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  return exitCodes.ok
}

async function printConfig(wanted: Wanted, json: boolean, io: Io, world: Environment): Promise<number> {
  const read = await readSettings({ ...wanted, over: envLayers(io.env) }, io, machineOf(io, world))
  const shown = maskConfig(resolvedConfig(read.settings))
  const { stdout, env } = io
  if (json) stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  else stdout.write(settingsTable(shown, read.layers, colorsFor(stdout, env)))
  return exitCodes.ok
}

async function checkConfig(wanted: Wanted, json: boolean, io: Io, world: Environment): Promise<number> {
  const check = () => loadValidSettings({ ...wanted, over: envLayers(io.env) }, io, machineOf(io, world))
  if (json) {
    const result = await check().then(
      ({ file, warnings }) => ({ ok: true, file: file ?? null, warnings }),
      (error: unknown) => {
        if (!(error instanceof ConfigError)) throw error
        return { ok: false, problems: error.problems.map(({ frame: _, ...problem }) => problem) }
      },
    )
    io.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    return result.ok ? exitCodes.ok : exitCodes.config
  }
  const { file, settings, warnings } = await check()
  const colors = colorsFor(io.stderr, io.env)
  for (const warning of warnings) io.stderr.write(`${colors.yellow('warning')}: ${printable(warning)}\n`)
  const { length } = settings.upstreams
  const upstreams = length === 0 ? 'the embedded demo model' : plural(length, 'upstream')
  io.stdout.write(
    `${file === undefined ? 'No configuration file is needed' : `${file} is fine`}: ${upstreams}.\n`,
  )
  return exitCodes.ok
}

/** With the values that were looked up, where the configuration leaves them out. */
function resolvedConfig({ config, store, allowedHosts }: Settings): ToolwireConfig {
  const { kind, path, url } = store
  const place = { ...(kind === 'sqlite' && { path }), ...(url !== '' && { url }) }
  const { upstreams = [] } = config
  const found = { ...config, upstreams, allowedHosts, store: { ...config.store, kind, ...place } }
  // In the order of the table.
  return mergeLayers([{ origin: defaultOrigin, config: found }])
}

interface Row {
  readonly path: Path
  readonly text: string
}

function settingsTable(shown: unknown, layers: readonly Layer[], colors: Colors): string {
  const rows = rowsOf(shown, []).map(({ path, text }) => ({
    name: formatPath(path),
    text: path[0] === 'upstreams' && text === '[]' ? 'the embedded demo model' : printable(text),
    origin: originOf(layers, path)?.origin ?? defaultOrigin,
  }))
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const textWidth = Math.min(60, Math.max(...rows.map(({ text }) => text.length)))
  return rows
    .map(({ name, text, origin }) => {
      const told = origin === defaultOrigin ? colors.dim(origin) : colors.cyan(origin)
      return `${name.padEnd(nameWidth)}  ${text.padEnd(textWidth)}  ${told}\n`
    })
    .join('')
}

function rowsOf(value: unknown, path: Path): Row[] {
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, inner]) => rowsOf(inner, [...path, key]))
  }
  if (Array.isArray(value) && value.some(isObject)) {
    return value.flatMap((item, index) => rowsOf(item, [...path, index]))
  }
  return [{ path, text: JSON.stringify(value) }]
}
