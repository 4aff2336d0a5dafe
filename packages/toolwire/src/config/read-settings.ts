/** The settings of one run: the file, what is laid over it, and the environment. */
import type { Problem } from './check-shape.ts'
import type { LocatedProblem } from './config-error.ts'
import { ConfigError } from './config-error.ts'
import type { Layer } from './layers.ts'
import { originOf } from './layers.ts'
import type { Files } from './load-config.ts'
import { loadConfig } from './load-config.ts'
import type { Resolved } from './resolve-settings.ts'
import { resolveSettings } from './resolve-settings.ts'
import type { Machine } from './state-path.ts'

export interface Wanted {
  /** The configuration file; the one in the working directory when left out. */
  readonly file?: string
  /** Flags and variables, which win over the file. */
  readonly over?: readonly Layer[]
  readonly demo?: boolean
}

export interface Read extends Omit<Resolved, 'problems'> {
  /** The name of the configuration file, where there is one. */
  readonly file: string | undefined
  readonly problems: readonly LocatedProblem[]
}

/** Throws a `ConfigError` when the file cannot be read; what only the environment shows is left to the caller. */
export async function readSettings(
  { file, over = [], demo = false }: Wanted,
  files: Files,
  machine: Machine,
): Promise<Read> {
  const found = await loadConfig(file, files)
  const base: Layer[] = found === undefined ? [] : [{ origin: found.name, config: found.config }]
  const resolved = resolveSettings([...base, ...over], machine, { demo })
  const isInFile = ({ path }: Problem): boolean =>
    found !== undefined && originOf(resolved.layers, path)?.origin === found.name
  const problems = resolved.problems.map(
    (problem): LocatedProblem => (found !== undefined && isInFile(problem) ? found.locate(problem) : problem),
  )
  return { ...resolved, problems, file: found?.name }
}

/** The same for whoever cannot go on with problems. */
export async function loadValidSettings(wanted: Wanted, files: Files, machine: Machine): Promise<Read> {
  const read = await readSettings(wanted, files, machine)
  if (read.problems.length > 0) throw new ConfigError(read.problems)
  return read
}
