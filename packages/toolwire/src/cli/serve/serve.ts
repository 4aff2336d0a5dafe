/** `toolwire serve`: one run of the gateway, from its arguments to its end. */
import type { Settings } from '../../config/config.ts'
import { defaultOrigin, originOf } from '../../config/layers.ts'
import { loadValidSettings } from '../../config/read-settings.ts'
import { builtInWireSet, WireSet } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../print-error.ts'
import { type FollowedUpstreams, followUpstreams } from '../upstreams/follow-upstreams.ts'
import { modelToTry } from '../upstreams/models-found.ts'
import { version as ownVersion } from '../version.ts'
import { keysLine, keysView, readyView, tryView } from './banner.ts'
import { curlExamples, keyVariableFor, unnamedKey } from './curl-examples.ts'
import type { Environment } from './environment.ts'
import { machineOf, processEnvironment } from './environment.ts'
import { layersOver } from './flag-layers.ts'
import { type HotKey, listenForKeys } from './hot-keys.ts'
import { createLiveLine } from './live-line.ts'
import { asLogLines } from './log-lines.ts'
import { hasBrowser } from './open-page.ts'
import { type Reloader, reloadOnChange } from './reload.ts'
import { tellOfServers } from './servers-nearby.ts'
import { type RunningGateway, startGateway } from './start-gateway.ts'
import { untilStopped } from './stop-gateway.ts'

export async function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  if (process.env.TOOLWIRE_WORKER === undefined || process.send === undefined) {
    return serve(args, io, processEnvironment, wires)
  }
  // What this process starts is no worker.
  delete process.env.TOOLWIRE_WORKER
  const { runWorker } = await import('../cluster/run-worker.ts')
  return runWorker(args, io, wires)
}

export async function serve(
  args: Arguments,
  io: Io,
  world: Environment,
  wires: WireSet = builtInWireSet,
): Promise<number> {
  if (args.positionals.length > 0) {
    throw new UsageError(
      `"serve" takes no "${printable(args.positionals[0] ?? '')}".`,
      'A configuration file is named with --config.',
    )
  }
  return orConfigFailure(io, () => serveUntilStopped(args, io, world, wires))
}

async function serveUntilStopped(
  args: Arguments,
  io: Io,
  world: Environment,
  wires: WireSet,
): Promise<number> {
  const file = args.value('config')
  const machine = machineOf(io, world)
  const wanted = {
    ...(file !== undefined && { file }),
    over: layersOver(args, io, wires),
    demo: args.flag('demo'),
    wires,
  }
  const read = await loadValidSettings(wanted, io, machine)
  const { settings, warnings } = read
  const version = ownVersion()
  const quiet = args.flag('quiet')
  const count = settings.workers === 'auto' ? world.cores : settings.workers
  const live = count === 1 && hasLiveLine(settings, quiet, io) ? createLiveLine(io, world) : undefined
  const shown = live?.io ?? (settings.log.format === 'json' ? asLogLines(io, world) : io)
  const isUsualPort = originOf(read.layers, ['port'])?.origin === defaultOrigin
  const options = {
    io: shown,
    world,
    version,
    isUsualPort,
    ...(live !== undefined && { observer: live.observer }),
  }
  const running =
    count === 1
      ? await startGateway(settings, options)
      : await (await import('../cluster/start-workers.ts')).startWorkers(settings, {
          ...options,
          count,
          file: read.file,
        })
  const readyMs = world.uptimeMs()
  const { url } = running
  const asksForKey = settings.keys.length + settings.operatorKeys.length > 0
  const { isFirst, withdraw } = world.announce({ url, cwd: io.cwd, since: world.date(), asksForKey }, machine)
  const stopped = untilStopped(running, settings.shutdownMs, { io: shown, world })
  warn([...warnings, ...running.warnings, ...movedPort(settings, url, isUsualPort)], shown)
  const upstreams = followUpstreams({
    running,
    settings,
    world,
    warn: text => warn([text], shown),
    tell: line => void shown.stderr.write(`${line}\n`),
  })
  const reloader = reloadOnChange({ running: upstreams, wanted, read, io: shown, world })
  const isTerse = args.flag('json') || quiet
  if (isTerse) shown.stdout.write(args.flag('json') ? readyJson(running, version) : `${url}\n`)
  const { demo } = wanted
  const about = { version, readyMs, file: read.file, processes: count, isFirst, reloader, upstreams, demo }
  if (isTerse) void upstreams.look().then(upstreams.follow)
  const stopTalking = isTerse ? () => {} : await talk(running, settings, about, shown, world)
  await stopped.finally(reloader.stop)
  upstreams.stop()
  stopTalking()
  live?.close()
  withdraw()
  return exitCodes.ok
}

/** For programs that start a gateway. */
function readyJson({ url, healthUrl, upstreams, storeDescription }: RunningGateway, version: string): string {
  const about = { url, healthUrl, version, pid: process.pid, store: storeDescription }
  const served = upstreams.map(({ name, wire, baseUrl }) => ({ name, wire, baseUrl }))
  return `${JSON.stringify({ ...about, upstreams: served })}\n`
}

/** Where people watch the log. */
function hasLiveLine({ log }: Settings, quiet: boolean, { stdout, stderr, env }: Io): boolean {
  const isPretty = log.format !== 'json' && !quiet
  return isPretty && stdout.isTTY && stderr.isTTY && env.TERM !== 'dumb'
}

function movedPort({ port }: Settings, url: string, isUsualPort: boolean): string[] {
  const got = new URL(url).port
  if (!isUsualPort || got === String(port)) return []
  return [`Port ${port} is in use, so this is ${got}. --port asks for a certain one.`]
}

interface About {
  readonly version: string
  readonly readyMs: number
  readonly file: string | undefined
  readonly processes: number
  readonly isFirst: boolean
  /** Whether the demo model was asked for. */
  readonly demo: boolean
  readonly reloader: Reloader
  readonly upstreams: FollowedUpstreams
}

/** Prints the banner, listens for keys where there is a keyboard, and waits for upstreams. Returns what ends it. */
async function talk(
  running: RunningGateway,
  settings: Settings,
  { version, readyMs, file, processes, isFirst, reloader, upstreams, demo }: About,
  io: Io,
  world: Environment,
): Promise<() => void> {
  const wires = new WireSet(settings.wires)
  const colors = colorsFor(io.stdout, io.env)
  const found = await upstreams.look()
  const isOpen = settings.keys.length === 0
  const { host, model } = settings
  const ready = { ...running, found, host, model, version, readyMs, file, processes, isOpen }
  io.stdout.write(readyView(ready, colors))
  const examples = (): void => {
    const model = modelToTry(running.upstreams, found)
    const keyVariable = keyVariableFor(settings, io.env)
    const lines = curlExamples(running.url, model ?? 'MODEL', keyVariable, wires)
    io.stdout.write(tryView(lines, noteOn(model, keyVariable), colors))
  }
  const hasKeys = io.stdinIsTTY && io.stdout.isTTY
  if (!hasKeys || isFirst) examples()
  const keys = hasKeys ? hotKeys(running, reloader, wires, examples, io, world) : []
  if (hasKeys) io.stdout.write(keysLine(keys, colors))
  upstreams.follow()
  if (settings.upstreams.length === 0 && !demo) void tellOfServers(io, world, wires)
  if (!hasKeys) return () => {}
  return listenForKeys(keys, world, {
    onBlank: () => io.stdout.write('\n'),
    onFailure: error =>
      void io.stderr.write(`${printable(error instanceof Error ? error.message : String(error))}\n`),
  })
}

function noteOn(model: string | undefined, keyVariable: string | undefined): string | undefined {
  const notes = [
    ...(model === undefined ? ['put the name of a model for MODEL'] : []),
    ...(keyVariable === unnamedKey ? [`with a key of yours in ${unnamedKey}`] : []),
  ]
  return notes.length === 0 ? undefined : notes.join(', ')
}

function hotKeys(
  { traces, inspectorUrl, inspectorLink }: RunningGateway,
  { reload }: Reloader,
  wires: WireSet,
  examples: () => void,
  io: Io,
  world: Environment,
): HotKey[] {
  const colors = colorsFor(io.stdout, io.env)
  const keys: HotKey[] = [
    {
      key: 'h',
      name: 'help',
      about: 'this help, and requests to paste',
      act() {
        io.stdout.write(keysView(keys, colors))
        examples()
      },
    },
    ...(traces === undefined
      ? []
      : [
          {
            key: 't',
            name: 'last trace',
            about: 'what was said in the last exchange',
            act: async () => (await import('./last-trace.ts')).showLastTrace(traces, wires, io),
          },
        ]),
    ...(inspectorUrl === undefined
      ? []
      : [
          {
            key: 'i',
            name: 'inspector',
            about: 'open the page that shows the exchanges, and print its address',
            async act() {
              const link = await inspectorLink()
              if (link === undefined) return
              io.stdout.write(`${link}\n`)
              if (hasBrowser(io.env, world)) world.openPage(link)
            },
          },
        ]),
    { key: 'r', name: 'reload', about: 'read the configuration again', act: reload },
    { key: 'q', name: 'quit', about: 'stop, once the requests under way have ended', act: world.askToStop },
  ]
  return keys
}

function warn(warnings: readonly string[], { stderr, env }: Io): void {
  const colors = colorsFor(stderr, env)
  for (const warning of warnings) stderr.write(`${colors.yellow('warning')}: ${printable(warning)}\n`)
}
