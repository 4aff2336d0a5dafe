/** `toolwire serve`: one run of the gateway, from its arguments to its end. */
import { loadValidSettings } from '../../config/read-settings.ts'
import { builtInWireSet, WireSet } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../print-error.ts'
import { version as ownVersion } from '../version.ts'
import { readyView, tryView } from './banner.ts'
import { curlExamples, keyVariableFor, modelToTry, unnamedKey } from './curl-examples.ts'
import type { Environment } from './environment.ts'
import { machineOf, processEnvironment } from './environment.ts'
import { layersOver } from './flag-layers.ts'
import { reloadOnChange } from './reload.ts'
import { startGateway } from './start-gateway.ts'
import { untilStopped } from './stop-gateway.ts'

export function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  return serve(args, io, processEnvironment, wires)
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
  return orConfigFailure(io, async () => {
    const file = args.value('config')
    const wanted = {
      ...(file !== undefined && { file }),
      over: layersOver(args, io, wires),
      demo: args.flag('demo'),
      wires,
    }
    const read = await loadValidSettings(wanted, io, machineOf(io, world))
    const { settings, warnings } = read
    const version = ownVersion()
    const running = await startGateway(settings, { io, world, version })
    const readyMs = world.uptimeMs()
    const stopped = untilStopped(running, settings.shutdownMs, { io, world })
    warn([...warnings, ...running.warnings], io)
    const isOpen = settings.keys.length === 0
    if (args.flag('quiet')) io.stdout.write(`${running.url}\n`)
    else {
      const colors = colorsFor(io.stdout, io.env)
      io.stdout.write(
        readyView({ ...running, host: settings.host, version, readyMs, file: read.file, isOpen }, colors),
      )
      await suggest(running, keyVariableFor(settings, io.env), new WireSet(settings.wires), io, world)
    }
    const reloader = reloadOnChange({ running, wanted, read, io, world })
    await stopped.finally(reloader.stop)
    return exitCodes.ok
  })
}

function warn(warnings: readonly string[], { stderr, env }: Io): void {
  const colors = colorsFor(stderr, env)
  for (const warning of warnings) stderr.write(`${colors.yellow('warning')}: ${printable(warning)}\n`)
}

async function suggest(
  { url, upstreams }: Pick<Awaited<ReturnType<typeof startGateway>>, 'url' | 'upstreams'>,
  keyVariable: string | undefined,
  wires: WireSet,
  io: Io,
  world: Environment,
): Promise<void> {
  const model = await modelToTry(upstreams, wires, world)
  const notes = [
    ...(model === undefined ? ['put the name of a model for MODEL'] : []),
    ...(keyVariable === unnamedKey ? [`with a key of yours in ${unnamedKey}`] : []),
  ]
  const note = notes.length === 0 ? undefined : notes.join(', ')
  io.stdout.write(
    tryView(curlExamples(url, model ?? 'MODEL', keyVariable, wires), note, colorsFor(io.stdout, io.env)),
  )
}
