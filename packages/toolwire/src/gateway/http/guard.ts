/** Who may use the gateway. It runs before routing and denies by default, so no spelling of a path gets around it. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { KeyPlace } from '@toolwire/core/wires'
import { GatewayError } from '../errors.ts'
import type { Sessions } from '../inspector/sessions.ts'
import type { GatewayRequest } from './contract.ts'
import type { FindClientKey } from './headers.ts'

export interface Guard {
  readonly asksForKeys: boolean
  /** Operators have keys of their own. */
  readonly hasOperators: boolean
  /** There are clients whose data must be kept apart. */
  readonly hasSeveralOwners: boolean
  /** Throws, or returns who sent the request. */
  admit(request: GatewayRequest, open: boolean): Admission
  /** Throws if this route is not for them: operators have routes of their own, and clients theirs. */
  authorize(admission: Admission, access: OperatorAccess | undefined): void
  /** Under which the data of a client or an operator with this key is stored; `undefined` if it is nobody's key. */
  ownerOf(key: string): string | undefined
  /** Headers that let an allowed page read the answer. */
  corsHeaders(request: GatewayRequest): Record<string, string>
}

interface Admission {
  /** Under which the client's data is stored. */
  readonly owner: string
  readonly isOperator: boolean
}

/** What an operator's key does at a route: it opens the route too, shows more there, or is the only one that opens it. */
export type OperatorAccess = 'also' | 'more' | 'only'

export interface GuardOptions {
  readonly keys: readonly string[]
  /** Open the routes about the gateway, and no others. */
  readonly operatorKeys?: readonly string[]
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly findKey: FindClientKey
  /** Where a client can present its key, for the message to one that presents none. */
  readonly keyPlaces: readonly KeyPlace[]
  /** Who has signed in, where the gateway has pages of its own. */
  readonly sessions?: Sessions | undefined
}

export function createGuard(options: GuardOptions): Guard {
  const { keys, operatorKeys = [], hosts, origins, findKey, keyPlaces, sessions } = options
  const digests = keys.map(digest)
  const operatorDigests = operatorKeys.map(digest)
  const allowedOrigins = new Set(origins.map(origin => origin.toLowerCase()))
  const checkHost = createHostCheck(hosts)
  const listedHosts = new Set(hosts.map(host => host.toLowerCase()))
  // Where any name is answered and no key is asked for, a page that gave this machine a name of its own would be let in.
  const isOwnPage = ({ headers: { host, origin } }: GatewayRequest): boolean =>
    sessions !== undefined &&
    host !== undefined &&
    (origin === `http://${host}` || origin === `https://${host}`) &&
    (digests.length > 0 || listedHosts.has(hostName(host) ?? ''))
  const signedIn = (request: GatewayRequest): Buffer | undefined => {
    const owner = sessions?.ownerOf(request.headers)
    // Whatever changes something must say that it comes from the page, which has nothing but the cookie.
    const isSafe = request.method === 'GET' || request.method === 'HEAD' || isOwnPage(request)
    return owner === undefined || !isSafe ? undefined : Buffer.from(owner, 'hex')
  }
  return {
    asksForKeys: digests.length > 0,
    hasOperators: operatorDigests.length > 0,
    hasSeveralOwners: new Set(keys).size > 1,
    admit(request, open) {
      checkHost(request.headers.host)
      if (!isOwnPage(request)) checkOrigin(request.headers, allowedOrigins)
      const key = findKey(request.headers)?.value
      const given = key === undefined ? signedIn(request) : digest(key)
      const isOperator = operatorDigests.length > 0 && isOneOf(operatorDigests, given)
      const isClient = isOperator || digests.length === 0 || isOneOf(digests, given)
      if (!open && !isClient) throw wrongKey(key, keyPlaces)
      return { owner: given === undefined ? 'anonymous' : given.toString('hex'), isOperator }
    },
    authorize({ isOperator }, access) {
      if (isOperator && access === undefined) throw notForOperators()
      if (isOperator || operatorDigests.length === 0) return
      // Clients without keys cannot be told apart, so none of them can be shown what is its own.
      if (access === 'only' || (access === 'more' && digests.length === 0)) throw operatorsOnly()
    },
    ownerOf(key) {
      const given = digest(key)
      return isOneOf([...digests, ...operatorDigests], given) ? given.toString('hex') : undefined
    },
    corsHeaders({ headers: { origin } }) {
      if (origin === undefined || !isAllowed(origin, allowedOrigins)) return {}
      return {
        'access-control-allow-origin': origin,
        // All of them: libraries in a page read limits, and whether to try again, under many names.
        'access-control-expose-headers': '*',
        vary: 'origin',
      }
    },
  }
}

function createHostCheck(hosts: readonly string[]): (given: string | undefined) => void {
  const allowedHosts = new Set(hosts.map(host => host.toLowerCase()))
  // Nearly all requests name the same host.
  let lastAllowed: string | undefined
  return given => {
    if (given !== undefined && given === lastAllowed) return
    const name = hostName(given)
    if (given !== undefined && given !== '' && name === undefined) throw invalidHost()
    if (allowedHosts.has('*') || (name !== undefined && allowedHosts.has(name))) {
      lastAllowed = given
      return
    }
    throw new GatewayError(
      'permission',
      'This gateway does not answer to that Host. Add it to "allowedHosts" if it is yours.',
      { code: 'host_not_allowed', status: 421 },
    )
  }
}

function isAllowed(origin: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has('*') || allowed.has(origin.toLowerCase())
}

function checkOrigin(
  { origin, 'sec-fetch-site': site }: GatewayRequest['headers'],
  allowed: ReadonlySet<string>,
): void {
  // A page needs no Origin to load an image, a script or a frame; browsers then say from where it does.
  if (origin === undefined && (site === undefined || ownSites.has(site) || allowed.has('*'))) return
  if (origin !== undefined && isAllowed(origin, allowed)) return
  throw new GatewayError(
    'permission',
    'Pages of this origin may not use this gateway. Add it to "allowedOrigins" if it is yours.',
    { code: 'origin_not_allowed', status: 403 },
  )
}

function isOneOf(digests: readonly Buffer[], given: Buffer = nothing): boolean {
  let known = false
  // Every key is compared, and only hashes of one length, so that the time taken reveals nothing.
  for (const expected of digests) known = timingSafeEqual(expected, given) || known
  // An empty key in the settings is a mistake and admits nobody.
  return known && !given.equals(nothing)
}

function wrongKey(key: string | undefined, keyPlaces: readonly KeyPlace[]): GatewayError {
  return new GatewayError(
    'authentication',
    key === undefined
      ? `A key is needed: send it as ${describePlaces(keyPlaces)}.`
      : 'The key is not one of this gateway’s.',
    { code: 'invalid_api_key', headers: { 'www-authenticate': 'Bearer' } },
  )
}

/** The gateway's own pages, and what people type into the address bar. */
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none'])

const nothing = digest('')

function invalidHost(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'The request must name one host: in "Host", and in its target no other.',
    { code: 'invalid_host', status: 400 },
  )
}

function notForOperators(): GatewayError {
  return new GatewayError(
    'permission',
    'An operator’s key opens only what is about the gateway. Use a client’s key here.',
    { code: 'operator_key', status: 403 },
  )
}

function operatorsOnly(): GatewayError {
  return new GatewayError('permission', 'This is for operators: send one of the gateway’s operator keys.', {
    code: 'operators_only',
    status: 403,
  })
}

/** `"Authorization: Bearer …" or "x-api-key"`. */
function describePlaces(places: readonly KeyPlace[]): string {
  return places
    .map(({ header, scheme }) =>
      scheme === undefined ? `"${header}"` : `"${header[0]?.toUpperCase()}${header.slice(1)}: ${scheme} …"`,
    )
    .join(' or ')
}

/** Under which the data of whoever has this key is stored. */
export function ownerWith(key: string): string {
  return digest(key).toString('hex')
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Without the port; `undefined` when it is not a plain host, so that tricks with `@`, `/` or `#` match no list. */
function hostName(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i.exec(host ?? '')
  return match?.[1]?.toLowerCase()
}
