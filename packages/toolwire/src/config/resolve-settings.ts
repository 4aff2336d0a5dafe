/** From layers of configuration and the environment to settings; problems are returned, not thrown. */
import type { Upstream } from '../gateway/settings.ts'
import { defaultHosts, shortestSealKey } from '../gateway/settings.ts'
import { keysOf as allKeys } from '../gateway/tenants/tenants.ts'
import { formatPath } from '../terminal/format-path.ts'
import type { Problem } from './check-shape.ts'
import { checkShape } from './check-shape.ts'
import { asGatewayTool } from './code-rules.ts'
import type { Settings, ToolwireConfig, UpstreamConfig } from './config.ts'
import { configRule } from './config-table.ts'
import { crossCheck, headerValue, spokenWires, warningsFor } from './cross-checks.ts'
import { conventionalKeyEnv, upstreamsFromEnv } from './env-upstreams.ts'
import type { Layer } from './layers.ts'
import { defaultLayer, defaultOrigin, mergeLayers, originOf } from './layers.ts'
import type { Machine } from './machine.ts'
import { bareHost, isLoopback, isOwnAddress } from './machine.ts'
import { priceFrom } from './price-fields.ts'
import { storeOf } from './store-settings.ts'
import { tenantsOf } from './tenants/tenant-fields.ts'
import { builtInWireSet, type WireSet } from './wires.ts'

export interface Resolved {
  readonly settings: Settings
  readonly layers: readonly Layer[]
  /** With any of these the gateway must not start. */
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

interface ResolveOptions {
  readonly demo?: boolean
  readonly wires?: WireSet
  /** Variables of the upstreams in the file that are not set. */
  readonly unset?: readonly Problem[]
}

/** `given` are layers of the right shape, the strongest last. `demo`: use the demo model and ignore all upstreams. */
export function resolveSettings(
  given: readonly Layer[],
  machine: Machine,
  { demo = false, wires = builtInWireSet, unset: missing = [] }: ResolveOptions = {},
): Resolved {
  const warnings: string[] = []
  const below = [defaultLayer()]
  const named = mergeLayers([...below, ...given])
  const layers = demo
    ? [...below, ...given, { origin: '--demo', config: { upstreams: [] } }]
    : [...below, ...conventionLayers(named, machine, warnings), ...given.map(withoutEmptyUpstreams)]
  const config = mergeLayers(layers)
  const isOfFile = originOf(layers, ['upstreams'])?.config.upstreams === given[0]?.config.upstreams
  const ofFile = isOfFile ? missing : []
  const problems = crossCheck(config, wires).filter(
    ({ path }) => !ofFile.some(other => formatPath(other.path) === formatPath(path)),
  )
  const { upstreams, ...told } = completeUpstreams(config, machine.env, ofFile)
  problems.push(...told.problems)
  warnings.push(...told.warnings)
  const tenants = tenantsOf(config, machine, upstreams, problems)
  const keys = allKeys({ keys: keysOf(config, 'keys', machine.env, problems), tenants })
  const operatorKeys = keysOf(config, 'operatorKeys', machine.env, problems)
  const sealKeys = keysOf(config, 'sealKeys', machine.env, problems)
  problems.push(...checkSharedKeys(keys, operatorKeys), ...checkSealKeys(sealKeys))
  problems.push(...checkExposure(config, keys, layers))
  warnings.push(...warningsFor(config))
  const settings = settingsOf(config, {
    upstreams,
    keys,
    tenants,
    operatorKeys,
    sealKeys,
    store: storeOf(config.store ?? {}, layers, machine, problems),
    wires: wires.added,
    wireModules: wires.modules,
  })
  return { settings, layers, problems, warnings }
}

/** An empty list counts as none, so that it does not hide the upstreams of the environment. */
function withoutEmptyUpstreams({ origin, config }: Layer): Layer {
  const { upstreams, ...rest } = config
  return { origin, config: upstreams === undefined || upstreams.length === 0 ? rest : config }
}

function conventionLayers(named: ToolwireConfig, { env }: Machine, warnings: string[]): Layer[] {
  if (named.upstreams !== undefined && named.upstreams.length > 0) return []
  const usable = upstreamsFromEnv(env).filter(({ urlEnv, upstream }) => {
    // Shells in which clients of this gateway run have its address in this variable.
    const own = isOwnAddress(upstream.baseUrl, named.host ?? '', named.port ?? 0)
    if (own)
      warnings.push(`${urlEnv} is the address of this gateway itself, and was not taken as an upstream.`)
    return !own
  })
  const config = { upstreams: usable.map(({ upstream }) => upstream) }
  const wrong = checkShape(config, configRule)
  for (const { message } of wrong) warnings.push(`From the environment: ${message}`)
  return usable.length === 0 || wrong.length > 0 ? [] : [{ origin: 'environment', config }]
}

/** A wire that is not known here has been reported before. */
function withWires(upstream: UpstreamConfig): UpstreamConfig & { readonly wire: string } {
  const [wire = '', ...others] = spokenWires(upstream)
  return { ...upstream, wire, ...(others.length > 0 && { speaks: [wire, ...others] }) }
}

/** An upstream that lacks only variables is left out, as long as there is another. */
function completeUpstreams(
  { upstreams = [] }: ToolwireConfig,
  env: Machine['env'],
  missing: readonly Problem[],
): Pick<Resolved, 'problems' | 'warnings'> & Pick<Settings, 'upstreams'> {
  const found = upstreams.map((upstream, index) => {
    const keyed = withKey(withWires(upstream), index, env)
    return { ...keyed, problems: [...keyed.problems, ...missing.filter(({ path }) => path[1] === index)] }
  })
  const isComplete = found.some(({ problems }) => problems.length === 0)
  const mayLack = ({ variable }: Problem): boolean => isComplete && variable !== undefined
  return {
    upstreams: found.map(({ upstream, problems: [first] }) =>
      first === undefined ? upstream : disabled(upstream, first),
    ),
    problems: found.flatMap(({ problems }) => problems.filter(problem => !mayLack(problem))),
    warnings: found.flatMap(({ upstream, problems }) =>
      problems
        .filter(mayLack)
        .map(({ message, remedy }) =>
          `Upstream ${upstream.name} is left out. ${message} ${remedy ?? ''}`.trim(),
        ),
    ),
  }
}

/** The address of an upstream whose own one is not known. */
export const unknownAddress = 'http://unknown.invalid'

function disabled(upstream: Upstream, { path, message, remedy = '' }: Problem): Upstream {
  const { baseUrl } = upstream
  return {
    ...upstream,
    baseUrl: path.includes('baseUrl') || !URL.canParse(baseUrl) ? unknownAddress : baseUrl,
    disabled: `${message} ${remedy}`.trim(),
  }
}

interface Keyed {
  readonly upstream: Upstream
  readonly problems: readonly Problem[]
}

function withKey(
  { apiKeyEnv, ...upstream }: UpstreamConfig & { readonly wire: string },
  index: number,
  env: Machine['env'],
): Keyed {
  const path = ['upstreams', index, apiKeyEnv === undefined ? 'apiKey' : 'apiKeyEnv']
  const variable =
    apiKeyEnv ??
    (upstream.apiKey === undefined && upstream.forwardKey !== true
      ? conventionalKeyEnv(upstream.baseUrl, env)
      : undefined)
  const apiKey = upstream.apiKey ?? (variable === undefined ? undefined : env[variable]?.trim())
  const problems: Problem[] = []
  if (apiKeyEnv !== undefined && !apiKey)
    problems.push(unset(apiKeyEnv, path, `key of upstream ${upstream.name}`))
  else if (apiKey !== undefined && !headerValue.test(apiKey)) {
    const message = `The key of upstream ${upstream.name} holds characters that no header can carry.`
    problems.push({ path, message, remedy: 'Copy it again, without line ends or special characters.' })
  }
  return { upstream: apiKey ? { ...upstream, apiKey } : upstream, problems }
}

function unset(variable: string, path: Problem['path'], what: string): Problem {
  return {
    path,
    variable,
    message: `The environment variable ${variable}, which holds the ${what}, is not set.`,
    remedy: `Set it before starting: export ${variable}=…`,
  }
}

/** What each list holds, in messages. */
const keyLists = {
  keys: 'keys of this gateway',
  operatorKeys: 'operators’ keys of this gateway',
  sealKeys: 'keys of the seal',
} as const

function keysOf(
  config: ToolwireConfig,
  field: keyof typeof keyLists,
  env: Machine['env'],
  problems: Problem[],
): string[] {
  const { [field]: keys = [], [`${field}Env` as const]: variable } = config
  if (variable === undefined) return [...keys]
  const found = (env[variable] ?? '').split(',').flatMap(key => key.trim() || [])
  if (found.length === 0) problems.push(unset(variable, [`${field}Env`], keyLists[field]))
  return [...keys, ...found]
}

/** A key that is both would let a client see everybody's traces. */
function checkSharedKeys(keys: readonly string[], operatorKeys: readonly string[]): Problem[] {
  if (!operatorKeys.some(key => keys.includes(key))) return []
  const message = 'A key of "operatorKeys" is also one of "keys".'
  return [{ path: ['operatorKeys'], message, remedy: 'Operators need keys of their own.' }]
}

/** Whoever has something sealed could try short ones out. */
function checkSealKeys(sealKeys: readonly string[]): Problem[] {
  if (sealKeys.every(({ length }) => length >= shortestSealKey)) return []
  const message = `A key of "sealKeys" has fewer than ${shortestSealKey} characters.`
  return [{ path: ['sealKeys'], message, remedy: 'Make one by chance: openssl rand -base64 32' }]
}

function checkExposure(config: ToolwireConfig, keys: readonly string[], layers: readonly Layer[]): Problem[] {
  const { host = '', insecure } = config
  if (isLoopback(host) || keys.length > 0 || insecure === true || config.keysEnv !== undefined) return []
  const origin = originOf(layers, ['host'])?.origin ?? defaultOrigin
  return [
    {
      path: ['host'],
      message: `Listening on ${host} (${origin}) would let everyone who reaches this machine use its upstreams without a key.`,
      remedy:
        'Ask for keys ("keysEnv" or --key-env), listen on 127.0.0.1, or accept it with "insecure" or --insecure.',
    },
  ]
}

function settingsOf(
  config: ToolwireConfig,
  found: Pick<
    Settings,
    'upstreams' | 'keys' | 'tenants' | 'operatorKeys' | 'sealKeys' | 'store' | 'wires' | 'wireModules'
  >,
): Settings {
  const { host = '', allowedHosts } = config
  const tools = [...(config.tools ?? [])].map(asGatewayTool)
  const hosted = Object.fromEntries(
    Object.entries(config.hosted ?? {}).map(([type, tool]) => [type, asGatewayTool(tool)]),
  )
  return {
    ...found,
    host: bareHost(host),
    port: config.port ?? 0,
    ...(config.healthPort !== undefined && { healthPort: config.healthPort }),
    workers: config.workers ?? 1,
    ...(config.model !== undefined && { model: config.model }),
    allowedHosts: allowedHosts ?? usualHosts(host, found.keys),
    allowedOrigins: config.allowedOrigins ?? [],
    limits: config.limits ?? {},
    limitsWithoutStore: config.limitsWithoutStore ?? 'local',
    losses: config.losses ?? 'errors',
    webSockets: config.webSockets ?? 'on',
    log: config.log ?? {},
    trace: config.trace ?? {},
    prices: (config.prices ?? []).map(priceFrom),
    otel: config.otel ?? false,
    inspector: config.inspector ?? true,
    heartbeatMs: config.heartbeatMs ?? 0,
    shutdownMs: config.shutdownMs ?? 0,
    ...(config.toolTimeoutMs !== undefined && { toolTimeoutMs: config.toolTimeoutMs }),
    mcpServers: config.mcpServers ?? {},
    tools,
    hosted,
    config: {
      ...config,
      ...(config.tools !== undefined && { tools }),
      ...(config.hosted !== undefined && { hosted }),
    },
  }
}

/** The list guards against DNS rebinding: web pages that give this machine a name of their own. With keys it is not needed. */
function usualHosts(host: string, keys: readonly string[]): readonly string[] {
  if (isLoopback(host)) return [...new Set([...defaultHosts, urlHost(host)])]
  return keys.length > 0 ? ['*'] : [...defaultHosts, urlHost(host)]
}

function urlHost(host: string): string {
  const bare = bareHost(host)
  return bare.includes(':') ? `[${bare}]` : bare
}
