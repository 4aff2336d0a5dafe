/** The upstreams and keys that the environment names, by the variables that the hosts' own client libraries read. */
import { type Host, type HostEnvironment, hosts } from '@toolwire/core/presets'
import { withoutTrailingSlashes } from '../platform/addresses.ts'
import type { UpstreamConfig } from './config.ts'

type Env = Readonly<Record<string, string | undefined>>
type NamedHost = Host & Required<Pick<Host, 'environment'>>

const namedHosts: readonly NamedHost[] = hosts.filter(
  (host): host is NamedHost => host.environment !== undefined,
)

/** For messages and help. */
export const conventionalVariables: readonly string[] = namedHosts.flatMap(({ environment }) =>
  environment.baseUrl === undefined ? [environment.key] : [environment.key, environment.baseUrl],
)

export interface EnvUpstream {
  /** The variable that gave the address, where one did. */
  readonly urlEnv: string | undefined
  readonly upstream: UpstreamConfig
}

/** `isAlone`: there are no upstreams beside these. */
export function upstreamsFromEnv(env: Env, isAlone = true): readonly EnvUpstream[] {
  const named = namedHosts.filter(({ environment }) => env[environment.key] || givenUrl(environment, env))
  return named.map(({ name, wires, baseUrl, models, environment }) => {
    const given = givenUrl(environment, env)
    // A custom address may serve models of any name, and so may the only upstream and one without names of its own.
    const servesAny = given !== undefined || models.length === 0
    const [wire = ''] = wires
    return {
      urlEnv: given === undefined ? undefined : environment.baseUrl,
      upstream: {
        name,
        // What is at another address need not speak all wires of the host.
        ...(given === undefined && wires.length > 1 ? { speaks: wires } : { wire }),
        baseUrl: given === undefined ? baseUrl : environment.addsVersion ? withVersion(given) : given,
        ...(env[environment.key] ? { apiKeyEnv: environment.key } : {}),
        ...((named.length > 1 || !isAlone) && { models: servesAny ? [...models, '*'] : [...models] }),
      },
    }
  })
}

function givenUrl({ baseUrl }: HostEnvironment, env: Env): string | undefined {
  return baseUrl === undefined ? undefined : env[baseUrl]?.trim() || undefined
}

function withVersion(url: string): string {
  const bare = withoutTrailingSlashes(url)
  return /\/v\d+$/.test(bare) ? bare : `${bare}/v1`
}

/** The variable with the key for this address: a host's key goes only to that host, or to where its variable points. */
export function conventionalKeyEnv(baseUrl: string, env: Env): string | undefined {
  return namedHosts.find(({ environment, baseUrl: own }) => {
    if (!env[environment.key]) return false
    const given = givenUrl(environment, env)
    return sameOrigin(baseUrl, own) || (given !== undefined && sameOrigin(baseUrl, given))
  })?.environment.key
}

function sameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin
}
