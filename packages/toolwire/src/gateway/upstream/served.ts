/** What is worked out once for each upstream, and not again for each request. */
import { createHash } from 'node:crypto'
import type { ExchangeOptions, HostedFunction, Profile, WireDefinition } from '@toolwire/core'
import { profileFor } from '@toolwire/core'
import type { Host } from '@toolwire/core/presets'
import type { WireJob } from '@toolwire/core/wires'
import { fillPath } from '@toolwire/core/wires'
import { withoutTrailingSlashes } from '../../platform/addresses.ts'
import type { HeaderMap } from '../http/contract.ts'
import type { ClientHeaders, FindClientKey } from '../http/headers.ts'
import { headerText, isSamePlace, isSecret } from '../http/headers.ts'
import type { GatewayServerTool, Timeouts, Upstream } from '../settings.ts'
import { defaultTimeouts } from '../settings.ts'
import { factsOfFlags, knownFlags } from './flags.ts'
import { hostOf } from './host.ts'
import { Secret } from './mask-answer.ts'
import type { RetryBudget } from './retry.ts'
import { createRetryBudget } from './retry.ts'

export interface ServedUpstream extends Omit<Upstream, 'wire' | 'speaks' | 'headers'> {
  readonly wire: WireDefinition
  /** The same upstream on every wire that it speaks, the preferred one first. */
  readonly speaks: readonly ServedUpstream[]
  /** What is known of a model on this wire. */
  profileOf(model: string): Profile
  /** Whether its answers to clients of this wire are kept, because it wants its reasoning back and they may not return it. */
  keepsReasoning(model: string): boolean
  readonly timeouts: Timeouts
  readonly budget: RetryBudget
  /** Its name as the value of a header. */
  readonly headerName: string
  /** Whether the settings leave requests of its own wire unchanged. */
  readonly changesNothing: boolean
  /** Responses and conversations for it are stored by the gateway, since the upstream itself stores none. */
  readonly needsState: boolean
  /** It makes the summaries that clients of its own wire ask for. */
  readonly compacts: boolean
  /** What it has shown of that. `isSure`: it is known, or was seen; `isRefused`: it makes none, whatever was assumed. */
  readonly summaries: { isSure: boolean; isRefused: boolean }
  /** For a client of its own wire, and for others. */
  readonly exchangeOptions: { readonly same: ExchangeSettings; readonly other: ExchangeSettings }
  /** In an answer that holds these characters, a failure may be reported. */
  readonly errorMark: string
  /** `undefined` where its wire has no such job. */
  url(job: WireJob, model: string, streamed: boolean): string | undefined
  readonly modelsUrl: string | undefined
  isStream(contentType: string | undefined): boolean
  /** The upstream's own key, and nothing of the client's but what the wire needs. */
  requestHeaders(client: Client, streamed: boolean): HeaderMap
  /** The keys in these headers, which no answer may repeat. */
  secrets(client: Client): readonly Secret[]
  /** Names the server in the store, whatever the upstream is called. */
  readonly holder: string
}

/** Who sent the request that is passed on. */
export interface Client {
  readonly wire: WireDefinition
  readonly headers: ClientHeaders
}

type ExchangeSettings = Partial<ExchangeOptions>

export interface ServeOptions {
  wireNamed(name: string): WireDefinition
  readonly findKey: FindClientKey
  /** Names of headers in which a key may stand. */
  readonly keyHeaders?: ReadonlySet<string>
  readonly hosted?: readonly GatewayServerTool[]
}

export function serveUpstream(settings: Upstream, options: ServeOptions): ServedUpstream {
  const { wireNamed, hosted = [] } = options
  const upstream = withHandlers(settings, hosted)
  const host = hostOf(upstream)
  const speaks: ServedUpstream[] = []
  const shared = { host, budget: createRetryBudget(), speaks }
  const names = new Set([upstream.wire, ...(upstream.speaks ?? [])])
  for (const name of names) speaks.push(serveOn(wireNamed(name), upstream, shared, options))
  const [first] = speaks
  if (first === undefined) throw new TypeError(`The upstream "${upstream.name}" speaks no wire.`)
  return first
}

interface SharedParts extends Pick<ServedUpstream, 'budget' | 'speaks'> {
  readonly host: Host | undefined
}

function serveOn(
  wire: WireDefinition,
  upstream: Upstream,
  { host, budget, speaks }: SharedParts,
  options: ServeOptions,
): ServedUpstream {
  const { http } = wire.service
  const { contentType } = wire.conversation.frames
  const baseUrl = withoutTrailingSlashes(addressOn(wire.name, upstream, host))
  const streamType = new RegExp(`^\\s*${contentType.replaceAll(/[^\w]/g, '\\$&')}(?![\\w.+-])`, 'i')
  const flags = upstream.flags ?? host?.flags
  const facts = { ...factsOfFlags(flags, wire), ...host?.facts?.[wire.name] }
  const ownFacts = host?.defines?.includes(wire.name) ? {} : facts
  const changesNothing = isUnset(upstream) && Object.keys(ownFacts).length === 0
  const other = exchangeSettings(upstream, {
    ...http.serverProfile,
    ...facts,
    ...factsOfHeaders(upstream, wire),
  })
  const keepsState = http.keepsState && host?.isStateless !== true
  const needsState = (upstream.state ?? (keepsState ? 'upstream' : 'gateway')) === 'gateway'
  // Nobody else can summarise what only the upstream has. Of servers that copied a wire, few have copied this.
  const isOwnServer = host === undefined || host.defines?.includes(wire.name) === true
  const compacts = upstream.profile?.compacts ?? (isOwnServer && !(http.keepsState && needsState))
  const same = exchangeSettings(upstream, compacts ? ownFacts : { ...ownFacts, compacts })
  return {
    ...upstream,
    wire,
    speaks,
    baseUrl,
    timeouts: { ...defaultTimeouts, ...upstream.timeouts },
    budget,
    ...(flags !== undefined && { flags }),
    headerName: headerText(upstream.name),
    changesNothing,
    profileOf: model => profileFor(wire, model, other.profile),
    keepsReasoning: rememberLast(model => profileFor(wire, model, other.profile).callReasoning !== 'unused'),
    needsState,
    compacts,
    summaries: { isSure: upstream.profile?.compacts !== undefined || host !== undefined, isRefused: false },
    exchangeOptions: { same: changesNothing && compacts ? {} : same, other },
    errorMark: `${http.errorField}"`,
    url: createUrls(baseUrl, wire),
    modelsUrl: http.models && baseUrl + http.models.path,
    isStream: type => type !== undefined && streamType.test(type),
    requestHeaders: createRequestHeaders(upstream, wire, host, options.findKey),
    secrets: createSecrets({ ...upstream, baseUrl }, wire, options),
    // The address may hold a password.
    holder: createHash('sha256').update(baseUrl).digest('hex'),
  }
}

/** Asked for every request, also for one that passes unread, and most requests name the model of the one before. */
function rememberLast<T>(find: (model: string) => T): (model: string) => T {
  let last: { readonly model: string; readonly found: T } | undefined
  return model => {
    if (last?.model !== model) last = { model, found: find(model) }
    return last.found
  }
}

/** What follows from the headers that the settings add, such as a newer version of the wire. */
function factsOfHeaders({ headers = {} }: Upstream, { service }: WireDefinition): Partial<Profile> {
  const { facts = {} } = service.http.requestHeaders
  const found: Partial<Profile> = {}
  for (const [name, value] of Object.entries(headers))
    Object.assign(found, facts[name.toLowerCase()]?.[value])
  return found
}

/** The address on a wire: as stated, or as the host has it for this wire, or the same for all. */
function addressOn(wire: string, { baseUrl, baseUrls = {} }: Upstream, host: Host | undefined): string {
  if (Object.hasOwn(baseUrls, wire)) return baseUrls[wire] ?? baseUrl
  const isItsOwn = host !== undefined && withoutTrailingSlashes(baseUrl) === host.baseUrl
  return (isItsOwn ? host.wireUrls?.[wire] : undefined) ?? baseUrl
}

/** The address for each job. Only where the model stands in the path is it made anew for each request. */
function createUrls(baseUrl: string, { service }: WireDefinition): ServedUpstream['url'] {
  const find = (job: WireJob, streamed: boolean): string | undefined => {
    const route = service.http.routes.find(
      ({ job: served, streams }) => served === job && (streams ?? streamed) === streamed,
    )
    return route && baseUrl + route.path + (route.query === undefined ? '' : `?${route.query}`)
  }
  const urls = {
    exchange: { whole: find('exchange', false), streamed: find('exchange', true) },
    'count-tokens': { whole: find('count-tokens', false), streamed: undefined },
    compact: { whole: find('compact', false), streamed: undefined },
  }
  const parameter = 'parameter' in service.http.peek.model ? service.http.peek.model.parameter : undefined
  return (job, model, streamed) => {
    const url = streamed ? urls[job].streamed : urls[job].whole
    return url === undefined || parameter === undefined ? url : fillPath(url, { [parameter]: model })
  }
}

/** Headers of a request that no client has sent. */
export function upstreamHeaders(upstream: Upstream, wire: WireDefinition): HeaderMap {
  const headersFor = createRequestHeaders(upstream, wire, hostOf(upstream), () => undefined)
  return headersFor({ wire, headers: {} }, false)
}

/** For most upstreams the headers are the same for every request. */
function createRequestHeaders(
  { apiKey, forwardKey = false, headers: own = {}, flags }: Upstream,
  wire: WireDefinition,
  host: Host | undefined,
  findKey: FindClientKey,
): ServedUpstream['requestHeaders'] {
  const { keys, requestHeaders } = wire.service.http
  const known = flags ?? host?.flags
  const bearer = host?.usesBearer ? keys.find(({ scheme }) => scheme === 'Bearer') : undefined
  const keyPlace = bearer ?? keys[0]
  const ownHeaders = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const fixed = (accept: string): Record<string, string> => ({
    'content-type': 'application/json',
    accept,
    'user-agent': 'toolwire',
    ...requestHeaders.sent,
    ...(apiKey !== undefined && keyHeader(keyPlace, apiKey)),
    ...ownHeaders,
  })
  const whole = fixed('application/json')
  const streaming = fixed(wire.conversation.frames.contentType)
  const forwarded = requestHeaders.forwarded.filter(name => !Object.hasOwn(ownHeaders, name))
  const flagHeader = known === undefined ? undefined : requestHeaders.flags?.header
  const forwardsKey = apiKey === undefined && forwardKey
  if (forwarded.length === 0 && !forwardsKey) return (_, streamed) => (streamed ? streaming : whole)
  return (client, streamed) => {
    const headers = { ...(streamed ? streaming : whole) }
    for (const name of forwarded) {
      const value = client.headers[name]
      const kept = name === flagHeader ? knownFlags(value, known) : value
      if (kept !== undefined) headers[name] = kept
    }
    const key = forwardsKey ? findKey(client.headers) : undefined
    if (key === undefined) return headers
    // Clients of other wires have one place for whatever they hold. A client of this wire has chosen.
    const isMisplaced =
      client.wire !== wire && host?.keyPrefix !== undefined && key.value.startsWith(host.keyPrefix)
    const isKnown = !isMisplaced && keys.some(place => isSamePlace(place, key.place))
    return { ...headers, ...keyHeader(isKnown ? key.place : keyPlace, key.value), ...ownHeaders }
  }
}

function keyHeader(
  { header, scheme }: { readonly header: string; readonly scheme?: string },
  key: string,
): Record<string, string> {
  return { [header]: scheme === undefined ? key : `${scheme} ${key}` }
}

function isUnset({
  strict,
  hostedTools,
  unknownTools,
  misplacedStrict,
  pairing,
  profile,
}: Upstream): boolean {
  const changes = [strict, hostedTools, unknownTools, misplacedStrict, pairing, profile]
  return changes.every(change => change === undefined)
}

function exchangeSettings(upstream: Upstream, assumed: Partial<Profile>): ExchangeSettings {
  const { strict, hostedTools, unknownTools, misplacedStrict, pairing, media, profile = {} } = upstream
  const models = { ...assumed.models, ...profile.models }
  return {
    ...(strict !== undefined && { strict }),
    ...(hostedTools !== undefined && { hostedTools }),
    ...(unknownTools !== undefined && { unknownTools }),
    ...(misplacedStrict !== undefined && { misplacedStrict }),
    ...(pairing !== undefined && { pairing }),
    ...(media !== undefined && { media }),
    profile: { ...assumed, ...profile, models },
  }
}

/**
 * Tools of the gateway that do the work of hosted ones. The upstream's own setting for a type goes first; its setting
 * for all types is for those without a handler.
 */
function withHandlers(upstream: Upstream, hosted: readonly GatewayServerTool[]): Upstream {
  const { hostedTools = {} } = upstream
  if (hosted.length === 0) return upstream
  const handled = hosted.map(tool => [tool.name, handlerOf(tool)] as const)
  const stated = typeof hostedTools === 'string' ? { '*': hostedTools } : hostedTools
  return { ...upstream, hostedTools: { ...Object.fromEntries(handled), ...stated } }
}

function handlerOf({ description, parameters }: GatewayServerTool): HostedFunction {
  return {
    policy: 'handler',
    ...(description !== undefined && { description }),
    parameters: parameters as NonNullable<HostedFunction['parameters']>,
  }
}

/** Shorter ones would be found in half of all texts. */
const shortestSecret = 6

/** What is sent to an upstream and must not be repeated to anybody. */
function createSecrets(
  upstream: Upstream,
  wire: WireDefinition,
  { findKey, keyHeaders = new Set() }: ServeOptions,
): ServedUpstream['secrets'] {
  const places = wire.service.http.keys
  const keys = Object.entries(upstreamHeaders(upstream, wire)).flatMap(([name, value]) => {
    if (!isSecret(name, keyHeaders)) return []
    const scheme = places.find(({ header }) => header === name)?.scheme ?? 'Bearer'
    return [value.replace(new RegExp(`^${scheme}\\s+`, 'i'), '')]
  })
  const own = asSecrets([...keys, new URL(upstream.baseUrl).password])
  if (upstream.apiKey !== undefined || upstream.forwardKey !== true) return () => own
  return ({ headers }) => [...own, ...asSecrets([findKey(headers)?.value ?? ''])]
}

/** In every spelling that JSON has for a text of these characters without need for an escape. */
function asSecrets(keys: readonly string[]): readonly Secret[] {
  const spellings = keys
    .filter(({ length }) => length >= shortestSecret)
    .flatMap(key => [key, inJson(key), inJson(key).replaceAll('/', '\\/')])
  return [...new Set(spellings)].map(text => new Secret(text))
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
