/** The settings of one run: the file, the flags and variables that override it, and the environment. */
import type { Io } from '../terminal/io.ts'
import type { Problem } from './check-shape.ts'
import type { LocatedProblem } from './config-error.ts'
import { ConfigError } from './config-error.ts'
import type { Layer } from './layers.ts'
import { originOf } from './layers.ts'
import { loadConfig } from './load-config.ts'
import type { Machine } from './machine.ts'
import type { Resolved } from './resolve-settings.ts'
import { resolveSettings } from './resolve-settings.ts'
import { builtInWireSet, type WireSet } from './wires.ts'

export interface Wanted {
  /** The configuration file; the one in the working directory when left out, and none where it is `null`. */
  readonly file?: string | null
  /** Flags and variables, which win over the file. */
  readonly over?: readonly Layer[]
  readonly demo?: boolean
  /** The wires of the run, with those that `--wires` adds. */
  readonly wires?: WireSet
}

export interface Read extends Omit<Resolved, 'problems'> {
  /** The name of the configuration file, where there is one. */
  readonly file: string | undefined
  readonly problems: readonly LocatedProblem[]
}

/** Throws a `ConfigError` when the file cannot be read; what only the environment shows is left to the caller. */
export async function readSettings(
  { file, over = [], demo = false, wires = builtInWireSet }: Wanted,
  io: Io,
  machine: Machine,
): Promise<Read> {
  const found = file === null ? undefined : await loadConfig(file, io, wires)
  const base: Layer[] = found === undefined ? [] : [{ origin: found.name, config: found.config }]
  const resolved = resolveSettings([...base, ...over], machine, {
    demo,
    wires: found?.wires ?? wires,
    unset: found?.unset ?? [],
  })
  const isInFile = ({ path }: Problem): boolean =>
    found !== undefined && originOf(resolved.layers, path)?.origin === found.name
  const problems = resolved.problems.map(
    (problem): LocatedProblem => (found !== undefined && isInFile(problem) ? found.locate(problem) : problem),
  )
  return { ...resolved, problems, file: found?.name }
}

/** Like `readSettings`, but throws when there are problems. */
export async function loadValidSettings(wanted: Wanted, io: Io, machine: Machine): Promise<Read> {
  const read = await readSettings(wanted, io, machine)
  if (read.problems.length > 0) throw new ConfigError(read.problems)
  return read
}
