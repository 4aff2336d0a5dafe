/** Who may use the gateway. It runs before routing and denies by default, so no spelling of a path gets around it. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { KeyPlace } from '@toolwire/core/wires'
import { GatewayError } from '../errors.ts'
import type { GatewayRequest } from './contract.ts'
import type { FindClientKey } from './headers.ts'

export interface Guard {
  readonly asksForKeys: boolean
  /** Throws, or returns the owner under which the client's data is stored. */
  admit(request: GatewayRequest, open: boolean): string
  /** Headers that let an allowed page read the answer. */
  corsHeaders(request: GatewayRequest): Record<string, string>
}

export interface GuardOptions {
  readonly keys: readonly string[]
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly findKey: FindClientKey
  /** Where a client can present its key, for the message to one that presents none. */
  readonly keyPlaces: readonly KeyPlace[]
}

export function createGuard({ keys, hosts, origins, findKey, keyPlaces }: GuardOptions): Guard {
  const digests = keys.map(digest)
  const allowedHosts = new Set(hosts.map(host => host.toLowerCase()))
  const allowedOrigins = new Set(origins.map(origin => origin.toLowerCase()))

  // Nearly all requests name the same host.
  let lastAllowed: string | undefined
  const checkHost = (given: string | undefined): void => {
    if (allowedHosts.has('*') || (given !== undefined && given === lastAllowed)) return
    const name = hostName(given)
    if (name !== undefined && allowedHosts.has(name)) {
      lastAllowed = given
      return
    }
    throw new GatewayError(
      'permission',
      'This gateway does not answer to that Host. Add it to "allowedHosts" if it is yours.',
      { code: 'host_not_allowed', status: 421 },
    )
  }

  const originAllowed = (origin: string): boolean =>
    allowedOrigins.has('*') || allowedOrigins.has(origin.toLowerCase())

  const checkOrigin = (origin: string | undefined): void => {
    if (origin === undefined || originAllowed(origin)) return
    throw new GatewayError(
      'permission',
      'Pages of this Origin may not use this gateway. Add it to "allowedOrigins" if it is yours.',
      { code: 'origin_not_allowed', status: 403 },
    )
  }

  const checkKey = (key: string | undefined, given: Buffer): void => {
    if (digests.length === 0) return
    let known = false
    // Every key is compared, and only hashes of one length, so that the time taken reveals nothing.
    for (const expected of digests) known = timingSafeEqual(expected, given) || known
    // An empty key in the settings is a mistake and admits nobody.
    if (known && key !== undefined && key !== '') return
    throw new GatewayError(
      'authentication',
      key === undefined
        ? `A key is needed: send it as ${describePlaces(keyPlaces)}.`
        : 'The key is not one of this gateway’s.',
      { code: 'invalid_api_key', headers: { 'www-authenticate': 'Bearer' } },
    )
  }

  return {
    asksForKeys: digests.length > 0,
    admit(request, open) {
      checkHost(request.headers.host)
      checkOrigin(request.headers.origin)
      const key = findKey(request.headers)?.value
      const given = key === undefined ? undefined : digest(key)
      if (!open) checkKey(key, given ?? nothing)
      return given === undefined ? 'anonymous' : given.toString('hex')
    },
    corsHeaders({ headers: { origin } }) {
      if (origin === undefined || !originAllowed(origin)) return {}
      return {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'x-request-id, x-toolwire-losses, retry-after',
        vary: 'origin',
      }
    },
  }
}

const nothing = digest('')

/** `"Authorization: Bearer …" or "x-api-key"`. */
function describePlaces(places: readonly KeyPlace[]): string {
  return places
    .map(({ header, scheme }) =>
      scheme === undefined ? `"${header}"` : `"${header[0]?.toUpperCase()}${header.slice(1)}: ${scheme} …"`,
    )
    .join(' or ')
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Without the port; `undefined` when it is not a plain host, so that tricks with `@`, `/` or `#` match no list. */
function hostName(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i.exec(host ?? '')
  return match?.[1]?.toLowerCase()
}
