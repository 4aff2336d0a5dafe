/** Every option of a gateway, its upstreams and its limits, so that one that does not exist is found. */
import type { KnownOptions } from '@toolwire/core/json'
import type { GatewayOptions, Limits, Tenant, Timeouts, Upstream } from './settings.ts'
import { defaultLimits, defaultTimeouts } from './settings.ts'

export const gatewayNames: KnownOptions<GatewayOptions> = {
  wires: true,
  upstreams: true,
  model: true,
  store: true,
  ttlMs: true,
  keys: true,
  tenants: true,
  prices: true,
  limitsWithoutStore: true,
  operatorKeys: true,
  allowedHosts: true,
  allowedOrigins: true,
  limits: true,
  losses: true,
  sealKeys: true,
  heartbeatMs: true,
  shortTurns: true,
  tools: true,
  hosted: true,
  toolTimeoutMs: true,
  observer: true,
  metrics: true,
  traces: true,
  usage: true,
  inspector: true,
  webSockets: true,
  clock: true,
  newId: true,
  random: true,
  version: true,
  workerFile: true,
  wireModules: true,
}

export const tenantNames: KnownOptions<Tenant> = {
  name: true,
  key: true,
  models: true,
  upstreams: true,
  requestsPerMinute: true,
  tokensPerMinute: true,
  tokensPerDay: true,
  dollarsPerDay: true,
}

export const upstreamNames: KnownOptions<Upstream> = {
  name: true,
  wire: true,
  speaks: true,
  baseUrl: true,
  baseUrls: true,
  preset: true,
  disabled: true,
  flags: true,
  media: true,
  apiKey: true,
  forwardKey: true,
  models: true,
  rename: true,
  headers: true,
  profile: true,
  timeouts: true,
  retries: true,
  order: true,
  weight: true,
  fallbackOn: true,
  state: true,
  unknownIds: true,
  otherPaths: true,
  transport: true,
  strict: true,
  hostedTools: true,
  unknownTools: true,
  misplacedStrict: true,
  pairing: true,
}

/** The defaults name every limit except those that depend on the machine or on the keys. */
export const limitNames: { readonly [Name in keyof Limits]: unknown } = {
  ...defaultLimits,
  memoryBytes: true,
  keyMemoryBytes: true,
  keyExchanges: true,
  keyBackground: true,
}

export const timeoutNames: Timeouts = defaultTimeouts
