/** Keys that must not appear in a trace, even if an upstream or a tool repeats them. */
import type { Settings } from '../../config/config.ts'

type SecretSettings = Pick<Settings, 'keys' | 'operatorKeys' | 'sealKeys' | 'upstreams'> &
  Partial<Pick<Settings, 'mcpServers' | 'store'>>

export function secretsOf(settings: SecretSettings): string[] {
  const { keys, operatorKeys, sealKeys, upstreams, mcpServers = {}, store } = settings
  return [
    ...keys,
    ...operatorKeys,
    ...sealKeys,
    ...upstreams.flatMap(({ apiKey, headers = {} }) => [apiKey ?? [], Object.values(headers)].flat()),
    ...Object.values(mcpServers).flatMap(server =>
      'url' in server
        ? [...passwordsIn(server.url), ...Object.values(server.headers ?? {}).flatMap(headerSecrets)]
        : Object.entries(server.env ?? {}).flatMap(variableSecrets),
    ),
    ...passwordsIn(store?.url ?? ''),
  ]
}

/** A server that repeats what it got repeats the token, with or without its scheme. */
function headerSecrets(value: string): string[] {
  return [value, value.slice(value.indexOf(' ') + 1)]
}

const secretName = /key|token|secret|passw|auth|credential/i
/** Words, numbers, paths and addresses. Masked, they would be missing all over the traces of whoever works in that folder. */
const ordinary = /^(?:[a-z]+|[\d.]+|[~./].*|[a-z]:\\.*|[a-z][\w+.-]*:\/\/.*)$/i

function variableSecrets([name, value]: readonly [string, string]): string[] {
  const isSecret = secretName.test(name) || !ordinary.test(value)
  return [...(isSecret ? [value] : []), ...passwordsIn(value)]
}

/** As it stands in the address, and as it is. */
function passwordsIn(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { password } = new URL(address)
  if (password === '') return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
