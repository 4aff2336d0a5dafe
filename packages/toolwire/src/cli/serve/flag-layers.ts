/** What flags and variables lay over the configuration file. */
import { resolve } from 'node:path'
import { checkShape } from '../../config/check-shape.ts'
import type { StoreConfig, ToolwireConfig } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { configRule } from '../../config/config-table.ts'
import type { Layer } from '../../config/layers.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { upstreamsFromFlags } from './upstream-flag.ts'

/** Flags win over variables. */
export function layersOver(args: Arguments, env: Io['env'], cwd: string): Layer[] {
  return [...envLayers(env), ...flagLayers(args, cwd)]
}

export function envLayers({ PORT, HOST }: Io['env']): Layer[] {
  const wrong = (must: string): Error => new ConfigError([{ message: `PORT ${must}` }])
  return [
    ...(HOST ? [{ origin: 'HOST', config: { host: HOST } }] : []),
    ...(PORT ? [{ origin: 'PORT', config: { port: portFrom(PORT, wrong) } }] : []),
  ]
}

function flagLayers(args: Arguments, cwd: string): Layer[] {
  const layers: Layer[] = []
  const add = (origin: string, config: ToolwireConfig): void => {
    const [problem] = checkShape(config, configRule)
    if (problem !== undefined) throw new UsageError(`${origin}: ${problem.message}`, problem.remedy)
    layers.push({ origin, config })
  }
  const { host, port, store, log, keyEnv } = {
    host: args.value('host'),
    port: args.value('port'),
    store: args.value('store'),
    log: args.value('log'),
    keyEnv: args.value('key-env'),
  }
  if (host !== undefined) add('--host', { host })
  if (port !== undefined) add('--port', { port: portFrom(port, must => new UsageError(`--port ${must}`)) })
  if (store !== undefined) add('--store', { store: storeFrom(store, cwd) })
  if (log === 'pretty' || log === 'json') add('--log', { log: { format: log } })
  if (keyEnv !== undefined) add('--key-env', { keysEnv: keyEnv })
  if (args.flag('strict')) add('--strict', { losses: 'strict' })
  if (args.flag('quiet')) add('--quiet', { log: { level: 'error' } })
  if (args.flag('insecure')) add('--insecure', { insecure: true })
  const upstreams = args.values('upstream')
  if (upstreams.length > 0) add('--upstream', { upstreams: upstreamsFromFlags(upstreams) })
  if (upstreams.length > 0 && args.flag('demo')) {
    throw new UsageError('--demo and --upstream contradict each other.', 'Leave one out.')
  }
  return layers
}

function portFrom(text: string, wrong: (must: string) => Error): number {
  const port = /^\d{1,6}$/.test(text) ? Number(text) : text
  const [problem] = checkShape({ port }, configRule)
  if (problem !== undefined) throw wrong(problem.message.replace('"port" ', ''))
  return Number(port)
}

function storeFrom(text: string, cwd: string): StoreConfig {
  if (text === 'memory' || text === 'none') return { kind: text }
  if (text === 'sqlite') return { kind: 'sqlite' }
  // A word with neither a slash nor an ending is a slip of the pen sooner than a file.
  if (!/[\\/.]/.test(text)) {
    throw new UsageError(
      `--store ${printable(text)} is neither a kind of store nor a path.`,
      'Write memory, none, sqlite, or a path such as ./responses.sqlite.',
    )
  }
  return { kind: 'sqlite', path: resolve(cwd, text) }
}
