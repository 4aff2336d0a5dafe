/** The upstreams and keys that the environment names by the conventions of the providers' own clients. */
import type { UpstreamConfig } from './config.ts'

type Env = Readonly<Record<string, string | undefined>>

interface Convention {
  readonly name: string
  readonly wire: UpstreamConfig['wire']
  readonly keyEnv: string
  readonly urlEnv: string
  readonly usualUrl: string
  readonly models: readonly string[]
  /** Clients of this provider put the version after the address themselves. */
  readonly addsVersion: boolean
}

const conventions: readonly Convention[] = [
  {
    name: 'openai',
    wire: 'responses',
    keyEnv: 'OPENAI_API_KEY',
    urlEnv: 'OPENAI_BASE_URL',
    usualUrl: 'https://api.openai.com/v1',
    models: ['gpt-*', 'o*', 'chatgpt-*'],
    addsVersion: false,
  },
  {
    name: 'anthropic',
    wire: 'messages',
    keyEnv: 'ANTHROPIC_API_KEY',
    urlEnv: 'ANTHROPIC_BASE_URL',
    usualUrl: 'https://api.anthropic.com/v1',
    models: ['claude-*'],
    addsVersion: true,
  },
]

export interface EnvUpstream {
  /** The variable that gave the address, where one did. */
  readonly urlEnv: string | undefined
  readonly upstream: UpstreamConfig
}

export function upstreamsFromEnv(env: Env): readonly EnvUpstream[] {
  const named = conventions.filter(({ keyEnv, urlEnv }) => env[keyEnv] || env[urlEnv])
  return named.map(({ name, wire, keyEnv, urlEnv, usualUrl, models, addsVersion }) => {
    const given = env[urlEnv]?.trim() || undefined
    const baseUrl = given === undefined ? usualUrl : addsVersion ? withVersion(given) : given
    // A server of the user's own has models of any name; so has the only one there is.
    const ofAnyName = given !== undefined || named.length === 1
    return {
      urlEnv: given === undefined ? undefined : urlEnv,
      upstream: {
        name,
        wire,
        baseUrl,
        ...(env[keyEnv] ? { apiKeyEnv: keyEnv } : {}),
        ...(named.length > 1 && { models: ofAnyName ? [...models, '*'] : [...models] }),
      },
    }
  })
}

function withVersion(url: string): string {
  const bare = url.replace(/\/+$/, '')
  return /\/v\d+$/.test(bare) ? bare : `${bare}/v1`
}

/** The variable with the key for this address: only the provider itself, or what the environment calls it. */
export function conventionalKeyEnv(baseUrl: string, env: Env): string | undefined {
  return conventions.find(({ keyEnv, urlEnv, usualUrl }) => {
    if (!env[keyEnv]) return false
    const given = env[urlEnv]?.trim()
    return sameOrigin(baseUrl, usualUrl) || (given !== undefined && sameOrigin(baseUrl, given))
  })?.keyEnv
}

function sameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin
}
