/** What a worker process runs: a gateway that is told by the process that started it when to reload and when to stop. */
import { Socket } from 'node:net'
import type { Settings, ToolwireConfig } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { loadValidSettings, type Read, type Wanted } from '../../config/read-settings.ts'
import type { WireSet } from '../../config/wires.ts'
import type { Io } from '../../terminal/io.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { machineOf, processEnvironment } from '../serve/environment.ts'
import { layersOver } from '../serve/flag-layers.ts'
import { startGateway } from '../serve/start-gateway.ts'
import { withDisabled } from '../upstreams/follow-upstreams.ts'
import { version } from '../version.ts'
import { Calls } from './calls.ts'
import type { WorkerReport, WorkerTask } from './crew.ts'
import { connectionMessage } from './dealer.ts'
import { divideAmong } from './divide.ts'
import type { Peers } from './peers.ts'

export interface Task extends WorkerTask {
  readonly port: number
  /** The settings in force, but for code. */
  readonly config: ToolwireConfig
  /** Whether there is code too, which only the file has. */
  readonly hasCode: boolean
  /** Why upstreams are switched off, by name. */
  readonly disabled: ReadonlyMap<string, string>
  /** For a gateway that has no other. */
  readonly sealKey: string
}

/** A terminal and a service manager signal the whole group; only the one process that started the others reacts. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export async function runWorker(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  process.removeAllListeners('SIGINT')
  for (const signal of signals) process.on(signal, () => {})
  const calls = new Calls(message => void process.send?.(message))
  let take = (socket: Socket): void => void socket.destroy()
  process.on('message', (message, socket) => {
    // A client that has left meanwhile comes without its socket.
    if (message !== connectionMessage) calls.receive(message)
    else if (socket instanceof Socket) take(socket)
  })
  const task = (await calls.ask('begin')) as Task
  const peers: Peers = {
    isSpeaker: task.isSpeaker,
    askOthers: async (name, ...given) => (await calls.ask('others', [name, ...given])) as unknown[],
    askPrimary: (name, ...given) => calls.ask(name, given),
    onConnection(taker) {
      take = taker
    },
    on: (name, handler) => calls.on(name, handler),
  }
  const settingsFrom = settingsReader(args, io, wires, task)
  try {
    const settings = withDisabled(await settingsFrom(task.config), task.disabled)
    const running = await startGateway(settings, { io, world: processEnvironment, version: version(), peers })
    const stopped = new Promise<void>((resolve, reject) => {
      calls.on('stop', (shutdownMs: number) => void running.stop(shutdownMs).then(resolve, reject))
    })
    calls.on('active', () => running.active())
    calls.on('readiness', () => running.gateway.readiness())
    calls.on('sign-in-code', () => running.signInCode())
    calls.on('reload', async (config: ToolwireConfig, disabled: Task['disabled']) => {
      try {
        await running.update(withDisabled(await settingsFrom(config), disabled))
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    })
    const { storeDescription, toolCount, warnings } = running
    await calls.ask('ready', [{ storeDescription, toolCount, warnings } satisfies WorkerReport])
    await stopped
    process.disconnect()
    return exitCodes.ok
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    await calls.ask('failed', [error.problems])
    process.disconnect()
    return exitCodes.config
  }
}

/** The same file and flags, under the settings in force: of a file that has changed meanwhile only the code counts. */
function settingsReader(
  args: Arguments,
  io: Io,
  wires: WireSet,
  { port, count, sealKey, hasCode }: Task,
): (config: ToolwireConfig) => Promise<Settings> {
  const file = args.value('config')
  return async config => {
    const wanted: Wanted = {
      ...(file !== undefined && { file }),
      over: [...layersOver(args, io, wires), { origin: 'the running gateway', config: { ...config, port } }],
      demo: args.flag('demo'),
      wires,
    }
    const load = (given: Wanted): Promise<Read> =>
      loadValidSettings(given, io, machineOf(io, processEnvironment))
    const { settings } = await load(wanted).catch((error: unknown) => {
      // A file that somebody has spoilt meanwhile does not keep a worker from starting again.
      if (hasCode || !(error instanceof ConfigError)) throw error
      return load({ ...wanted, file: null })
    })
    const { healthPort: _, ...divided } = divideAmong(settings, count)
    const hasKey = settings.sealKeys.length > 0 || settings.store.kind !== 'none'
    return hasKey ? divided : { ...divided, sealKeys: [sealKey] }
  }
}
