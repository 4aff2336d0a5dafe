/** The settings that flags and variables override. */
import { resolve } from 'node:path'
import { checkShape } from '../../config/check-shape.ts'
import type { StoreConfig, ToolwireConfig, UpstreamConfig } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { configRule } from '../../config/config-table.ts'
import type { Layer } from '../../config/layers.ts'
import { storePathRule } from '../../config/store-fields.ts'
import { storeKindOf } from '../../config/store-settings.ts'
import { upstreamRule } from '../../config/upstream-fields.ts'
import { builtInWireSet, type WireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { didYouMean } from '../../terminal/suggest.ts'
import { type Arguments, wireOption } from '../arguments.ts'

/** Flags win over variables. */
export function layersOver(
  args: Arguments,
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  wires: WireSet = builtInWireSet,
): Layer[] {
  return [...envLayers(env), ...flagLayers(args, cwd, wires)]
}

export function envLayers({ PORT, HOST }: Io['env']): Layer[] {
  const wrong = (must: string): Error => new ConfigError([{ message: `PORT ${must}` }])
  return [
    ...(HOST ? [{ origin: 'HOST', config: { host: HOST } }] : []),
    ...(PORT ? [{ origin: 'PORT', config: { port: portFrom(PORT, wrong) } }] : []),
  ]
}

function flagLayers(args: Arguments, cwd: string, wires: WireSet): Layer[] {
  const layers: Layer[] = []
  const add = (origin: string, config: ToolwireConfig): void => {
    const [problem] = checkShape(config, configRule, wires)
    if (problem !== undefined) throw new UsageError(`${origin}: ${problem.message}`, problem.remedy)
    layers.push({ origin, config })
  }
  const { host, port, healthPort, store, log, keyEnv, model } = {
    host: args.value('host'),
    port: args.value('port'),
    healthPort: args.value('health-port'),
    store: args.value('store'),
    log: args.value('log'),
    keyEnv: args.value('key-env'),
    model: args.value('model'),
  }
  if (host !== undefined) add('--host', { host })
  if (port !== undefined) add('--port', { port: portFrom(port, must => new UsageError(`--port ${must}`)) })
  if (healthPort !== undefined) {
    const wrong = (must: string): Error => new UsageError(`--health-port ${must}`)
    add('--health-port', { healthPort: portFrom(healthPort, wrong) })
  }
  const workers = args.value('workers')
  if (workers !== undefined) {
    const count = /^\d{1,6}$/.test(workers) ? Number(workers) : workers
    // What is wrong with it is said by the rule of the setting.
    add('--workers', { workers: count as number | 'auto' })
  }
  if (store !== undefined) add('--store', { store: storeFrom(store, cwd) })
  if (args.flag('json')) add('--json', { log: { format: 'json' } })
  if (log === 'pretty' || log === 'json') add('--log', { log: { format: log } })
  if (model !== undefined) add('--model', { model })
  if (keyEnv !== undefined) add('--key-env', { keysEnv: keyEnv })
  const operatorKeysEnv = args.value('operator-key-env')
  if (operatorKeysEnv !== undefined) add('--operator-key-env', { operatorKeysEnv })
  if (args.flag('strict')) add('--strict', { losses: 'strict' })
  if (args.flag('quiet')) add('--quiet', { log: { level: 'error' } })
  if (args.flag('no-inspector')) add('--no-inspector', { inspector: false })
  if (args.flag('insecure')) add('--insecure', { insecure: true })
  const upstreams = args.values('upstream')
  if (upstreams.length > 0) add('--upstream', { upstreams: upstreamsFromFlags(upstreams, wires) })
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
  if (text === 'redis' || text === 'postgres') return { kind: text }
  const server = storeKindOf(text)
  if (server !== undefined) return { kind: server, url: text }
  const remedy =
    'Write memory, none, sqlite, a path such as ./responses.sqlite, or an address such as redis://… or postgres://….'
  if (storePathRule.pattern?.test(text) === false) {
    // The rest may hold a password.
    const scheme = text.slice(0, text.indexOf(':') + 1)
    throw new UsageError(`--store ${printable(scheme)}… is an address of no store that is known.`, remedy)
  }
  // A word without a slash or a dot is more likely a typing error than a file.
  if (!/[\\/.]/.test(text)) {
    throw new UsageError(`--store ${printable(text)} is neither a kind of store nor a path.`, remedy)
  }
  return { kind: 'sqlite', path: resolve(cwd, text) }
}

const form =
  'Write --upstream chat=http://127.0.0.1:11434/v1, and if need be ,key=ENV_NAME ,models=a|b ,name=local.'
const parts = ['key', 'models', 'name']

/** `--upstream wire=url[,key=ENV][,models=a|b][,name=x]`: one upstream in one word. */
function upstreamsFromFlags(values: readonly string[], wires: WireSet): UpstreamConfig[] {
  const upstreams: UpstreamConfig[] = []
  for (const value of values) {
    const taken = new Set(upstreams.map(({ name }) => name))
    upstreams.push(upstreamFrom(value, taken, wires))
  }
  return upstreams
}

function upstreamFrom(value: string, taken: ReadonlySet<string>, wires: WireSet): UpstreamConfig {
  const [first = '', ...rest] = value.split(',')
  const [wireName, baseUrl] = cut(first)
  if (baseUrl === undefined) throw new UsageError(`--upstream ${printable(value)} names no address.`, form)
  const { name: wire } = wireOption('--upstream', wireName, wires)
  const given = new Map<string, string>()
  for (const piece of rest) {
    const [name, text] = cut(piece)
    if (!parts.includes(name) || !text) {
      throw new UsageError(
        `--upstream: "${printable(piece)}" says nothing here.`,
        didYouMean(name, parts) ?? form,
      )
    }
    given.set(name, text)
  }
  const key = given.get('key')
  const models = given
    .get('models')
    ?.split('|')
    .filter(model => model !== '')
  const upstream: UpstreamConfig = {
    name: given.get('name') ?? freeName(wire, taken),
    wire,
    baseUrl,
    ...(key !== undefined && { apiKeyEnv: key }),
    ...(models !== undefined && { models }),
  }
  const [problem] = checkShape(upstream, upstreamRule, wires)
  if (problem === undefined) return upstream
  throw new UsageError(`--upstream ${printable(value)}: ${problem.message}`, problem.remedy ?? form)
}

function cut(piece: string): [name: string, value: string | undefined] {
  const at = piece.indexOf('=')
  return at < 0 ? [piece.trim(), undefined] : [piece.slice(0, at).trim(), piece.slice(at + 1).trim()]
}

function freeName(wire: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wire)) return wire
  let number = 2
  while (taken.has(`${wire}-${number}`)) number++
  return `${wire}-${number}`
}
