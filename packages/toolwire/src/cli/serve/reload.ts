/** Takes over a changed configuration while the gateway runs: when its file changes, and on SIGHUP. */
import { isAbsolute, join } from 'node:path'
import { changedSettings } from '../../config/changed-settings.ts'
import type { Settings } from '../../config/config.ts'
import { ConfigError, lineOf } from '../../config/config-error.ts'
import { isLoopback } from '../../config/machine.ts'
import { loadValidSettings, type Read, type Wanted } from '../../config/read-settings.ts'
import { InputError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { type Environment, machineOf } from './environment.ts'

interface Reloadable {
  update(settings: Settings): Promise<void>
}

interface Reloading {
  readonly running: Reloadable
  /** What the gateway was started with. */
  readonly wanted: Wanted
  readonly read: Read
  readonly io: Io
  readonly world: Environment
}

export interface Reloader {
  /** Reads the configuration again. What is wrong with it is printed, and nothing changes then. */
  reload(): Promise<void>
  stop(): void
}

/** An editor writes a file in several steps. */
const settleMs = 150

export function reloadOnChange({ running, wanted, read, io, world }: Reloading): Reloader {
  const tell = (line: string): void => void io.stderr.write(`${printable(line)}\n`)
  // A file that is gone is a mistake, and not the wish to do without.
  const again = { ...wanted, ...(read.file !== undefined && { file: read.file }) }
  let current = read.settings
  let queue = Promise.resolve()
  const once = async (): Promise<void> => {
    try {
      const { settings, warnings } = await loadValidSettings(again, io, machineOf(io, world))
      refuseToOpen(read.settings, settings)
      const { now, later } = changedSettings(current, settings)
      if (now.length + later.length === 0)
        return tell('The configuration was read again; nothing is different.')
      await running.update(settings)
      current = settings
      for (const line of now) tell(`Changed: ${line}`)
      for (const line of later) tell(`Changed, from the next start on: ${line}`)
      for (const warning of warnings) tell(`warning: ${warning}`)
    } catch (error) {
      for (const reason of reasonsOf(error)) tell(`error: ${reason}`)
      tell('The configuration is not taken over; the settings stay as they were.')
    }
  }
  // One after the other, in the order in which they were asked for.
  const reload = (): Promise<void> => {
    queue = queue.then(once)
    return queue
  }
  let waiting = (): void => {}
  const onChange = (): void => {
    waiting()
    waiting = world.after(settleMs, () => void reload())
  }
  const file = read.file === undefined || read.file === '-' ? undefined : read.file
  const stops = [
    world.onHangup(() => void reload()),
    ...(file === undefined ? [] : [world.watchFile(isAbsolute(file) ? file : join(io.cwd, file), onChange)]),
  ]
  return {
    reload,
    stop() {
      waiting()
      for (const stop of stops) stop()
    },
  }
}

/** The address stays the one that it listens on, whatever the new settings say of it. */
function refuseToOpen({ host }: Settings, { keys, config }: Settings): void {
  if (isLoopback(host) || keys.length > 0 || config.insecure === true) return
  throw new InputError(
    `Without keys everyone who reaches ${host}, where the gateway listens, could use its upstreams.`,
    'Keep a key, or start it anew on 127.0.0.1.',
  )
}

function reasonsOf(error: unknown): string[] {
  if (error instanceof ConfigError) return error.problems.map(lineOf)
  if (error instanceof InputError || error instanceof Error) return [error.message]
  return [String(error)]
}
