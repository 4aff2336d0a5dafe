/** Which gateway a command is about: the one that is named, configured, or running. */
import type { ToolwireConfig } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { loadConfig } from '../../config/load-config.ts'
import { localUrl, usualHost, usualPort } from '../../config/machine.ts'
import type { WireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { envLayers } from '../serve/flag-layers.ts'
import type { GatewayAddress } from './gateway-client.ts'
import type { RunningGateway } from './running-gateways.ts'

export interface FoundGateway extends GatewayAddress {
  /** The wires of the run, with those of the configuration. */
  readonly wires: WireSet
}

/** By `--url`; else by `PORT`, `HOST` and the configuration; else the one that was started here, or the only one there is. */
export async function findGateway(
  args: Arguments,
  io: Io,
  wires: WireSet,
  running: () => readonly RunningGateway[],
): Promise<FoundGateway> {
  const named = args.value('url')
  const found = named === undefined ? await readConfig(args.value('config'), io, wires) : undefined
  const config: ToolwireConfig = found?.config ?? {}
  const key = keyNamed(args, io) ?? configuredKey(config, io.env)
  return { url: named ?? addressOf(config, io, running), key, wires: found?.wires ?? wires }
}

/** A broken file must not hide a gateway that is running. */
async function readConfig(
  file: string | undefined,
  io: Io,
  wires: WireSet,
): Promise<Awaited<ReturnType<typeof loadConfig>>> {
  try {
    return await loadConfig(file, io, wires)
  } catch (error) {
    if (!(error instanceof ConfigError) || file !== undefined) throw error
    io.stderr.write('note: the configuration has mistakes ("toolwire config check") and is not used.\n')
    return undefined
  }
}

function addressOf(config: ToolwireConfig, io: Io, running: () => readonly RunningGateway[]): string {
  const stated: ToolwireConfig = Object.assign({}, config, ...envLayers(io.env).map(layer => layer.config))
  const { host = usualHost, port } = stated
  if (port !== undefined && port !== 0) return localUrl(host, port)
  const all = running()
  const here = all.filter(({ cwd }) => cwd === io.cwd)
  const [first, ...others] = here.length > 0 ? here : all
  if (first === undefined) return localUrl(host, usualPort)
  if (others.length > 0) {
    const more = others.map(({ url }) => printable(url)).join(', ')
    io.stderr.write(`note: ${printable(first.url)}, the newest of several; --url names another: ${more}.\n`)
  }
  return first.url
}

function keyNamed(args: Arguments, io: Io): string | undefined {
  const name = args.value('key-env')
  if (name === undefined) return undefined
  const key = io.env[name]
  if (key === undefined || key === '') throw new UsageError(`The variable ${printable(name)} is not set.`)
  return key
}

/** An operator sees the exchanges of all; a client's key its own. */
function configuredKey({ operatorKeysEnv, keysEnv }: ToolwireConfig, env: Io['env']): string | undefined {
  for (const name of [operatorKeysEnv, keysEnv]) {
    const [key = ''] = (name === undefined ? '' : (env[name] ?? '')).split(',')
    if (key.trim() !== '') return key.trim()
  }
  return undefined
}
