/** The configuration for people and for programs: every setting, what it is, and who said so. */
import type { Path } from '@toolwire/core'
import type { ToolwireConfig } from '../../config/config.ts'
import { isObject } from '../../config/json-value.ts'
import type { Layer } from '../../config/layers.ts'
import { defaultOrigin, mergeLayers, originOf } from '../../config/layers.ts'
import { maskConfig } from '../../config/mask-config.ts'
import type { Wanted } from '../../config/read-settings.ts'
import { loadValidSettings, readSettings } from '../../config/read-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { type Colors, colorsFor } from '../../terminal/colors.ts'
import { formatPath } from '../../terminal/format-path.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Environment } from './environment.ts'
import { filesOf, machineOf } from './environment.ts'
import { envLayers } from './flag-layers.ts'

export async function printConfig(
  wanted: Wanted,
  json: boolean,
  io: Io,
  world: Environment,
): Promise<number> {
  const read = await readSettings(
    { ...wanted, over: envLayers(io.env) },
    filesOf(io, world),
    machineOf(io, world),
  )
  const shown = maskConfig(resolvedConfig(read.settings))
  const { stdout, env } = io
  if (json) stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  else stdout.write(settingsTable(shown, read.layers, colorsFor(stdout, env)))
  return exitCodes.ok
}

export async function checkConfig(
  wanted: Wanted,
  json: boolean,
  io: Io,
  world: Environment,
): Promise<number> {
  const read = await loadValidSettings(
    { ...wanted, over: envLayers(io.env) },
    filesOf(io, world),
    machineOf(io, world),
  )
  const { file, settings, warnings } = read
  if (json) {
    io.stdout.write(`${JSON.stringify({ ok: true, file: file ?? null, warnings }, null, 2)}\n`)
    return exitCodes.ok
  }
  const colors = colorsFor(io.stderr, io.env)
  for (const warning of warnings) io.stderr.write(`${colors.yellow('warning')}: ${printable(warning)}\n`)
  const { length } = settings.upstreams
  const upstreams = length === 0 ? 'the embedded demo model' : plural(length, 'upstream')
  io.stdout.write(
    `${file === undefined ? 'No configuration file is needed' : `${file} is fine`}: ${upstreams}.\n`,
  )
  return exitCodes.ok
}

/** With what was found out in place of what was left out. */
function resolvedConfig({ config, store, allowedHosts }: Settings): ToolwireConfig {
  const path = store.kind === 'sqlite' ? { path: store.path } : {}
  const { upstreams = [] } = config
  const found = { ...config, upstreams, allowedHosts, store: { ...config.store, ...path } }
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
