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

/** By `--url`, `PORT` or `--config`; else one that was started here; else by the configuration; else one that is running. */
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
  const isChosen = args.value('config') !== undefined
  return { url: named ?? addressOf(config, isChosen, key, io, running), key, wires: found?.wires ?? wires }
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

/**
 * Of those that run: one that was started here, whatever port it got and whatever the configuration says by now; else,
 * where no port is stated, the one at the usual address, else the newest.
 */
function addressOf(
  config: ToolwireConfig,
  isChosen: boolean,
  key: string | undefined,
  io: Io,
  running: () => readonly RunningGateway[],
): string {
  const layers = envLayers(io.env)
  const stated: ToolwireConfig = Object.assign({}, config, ...layers.map(layer => layer.config))
  const { host = usualHost, port = 0 } = stated
  const isStated = port !== 0
  const usual = localUrl(host, isStated ? port : usualPort)
  if (isStated && (isChosen || layers.some(layer => layer.config.port !== undefined))) return usual
  const rank = ({ cwd, url }: RunningGateway): number =>
    cwd === io.cwd ? (isStated && url === usual ? 0 : 1) : url === usual ? 2 : 3
  const ranked = running()
    .filter(({ cwd }) => !isStated || cwd === io.cwd)
    .toSorted((a, b) => rank(a) - rank(b))
  // Without a key, one that asks for it would only refuse.
  const first = (key === undefined ? ranked.find(({ asksForKey }) => !asksForKey) : undefined) ?? ranked[0]
  if (first === undefined) return usual
  const others = ranked.filter(other => other !== first && rank(other) <= rank(first))
  if (others.length > 0) {
    const more = others.map(({ url, asksForKey }) => printable(url) + (asksForKey ? ' (asks for a key)' : ''))
    io.stderr.write(
      `note: ${printable(first.url)}, one of several; --url names another: ${more.join(', ')}.\n`,
    )
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
