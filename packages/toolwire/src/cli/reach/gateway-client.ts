/** Requests JSON of a running gateway, with a remedy for each way in which that can fail. */
import { parseJson } from '@toolwire/core/json'
import { withoutTrailingSlashes } from '../../platform/addresses.ts'
import { ReachError, UsageError } from '../../terminal/errors.ts'
import { printable } from '../../terminal/printable.ts'

/** The parts of the network and of the clock that the command uses. */
export interface Network {
  fetch(url: string, init: RequestInit): Promise<Response>
  sleep(milliseconds: number): Promise<void>
}

export interface GatewayClient {
  /** The JSON at a path below the gateway's address. */
  get(path: string): Promise<unknown>
  /** Like `get`, but `undefined` where the gateway answers 404. */
  find(path: string): Promise<unknown>
}

export interface GatewayAddress {
  readonly url: string
  readonly key: string | undefined
}

const longestWaitMs = 10_000

export function createGatewayClient({ url, key }: GatewayAddress, { fetch }: Network): GatewayClient {
  const base = checkUrl(url)
  const shown = printable(base)
  const ask = async (path: string): Promise<{ response: Response; value: unknown }> => {
    try {
      const response = await fetch(base + path, {
        headers: {
          accept: 'application/json',
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        // A gateway never redirects, and the key must not go anywhere else.
        redirect: 'error',
        signal: AbortSignal.timeout(longestWaitMs),
      })
      return { response, value: parseJson(await response.text()) }
    } catch (error) {
      throw unreachable(shown, error)
    }
  }
  const orRefusal = ({ response, value }: Awaited<ReturnType<typeof ask>>): unknown => {
    if (!response.ok) throw refused(shown, response.status, value)
    if (value === undefined) throw stranger(shown)
    return value
  }
  return {
    get: async path => orRefusal(await ask(path)),
    async find(path) {
      const answer = await ask(path)
      const isAbsent = answer.response.status === 404 && messageOf(answer.value) !== undefined
      return isAbsent ? undefined : orRefusal(answer)
    },
  }
}

export function stranger(shown: string): ReachError {
  return new ReachError(shown, 'what answers there is no toolwire gateway.', {
    detail: 'Name the gateway’s address with --url.\n',
  })
}

/** A host with its port, which is how people remember where something listens. */
const withoutScheme = /^[^\s/@:]+:\d+(\/|$)|^\[[0-9a-f:.]+\]:\d+(\/|$)/i

/** The address of the gateway without the version, which people copy from their clients. */
function checkUrl(given: string): string {
  const text = withoutScheme.test(given) ? `http://${given}` : given
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url must be an address such as http://127.0.0.1:4141; got "${printable(given)}".`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--url must not hold a key.', 'Put it into a variable and name that with --key-env.')
  }
  return url.origin + withoutTrailingSlashes(url.pathname).replace(/\/v1$/, '')
}

function unreachable(shown: string, error: unknown): ReachError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  if (code === 'ECONNREFUSED') {
    return new ReachError(shown, 'nothing listens there.', {
      detail: 'Start a gateway with "toolwire serve", or name the address of yours with --url.\n',
    })
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ReachError(shown, `no answer within ${longestWaitMs / 1000} seconds.`)
  }
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause))
  return new ReachError(shown, `cannot be reached: ${printable(reason)}.`)
}

function refused(shown: string, status: number, body: unknown): ReachError {
  const message = messageOf(body)
  if (message === undefined) return stranger(shown)
  const detail =
    status === 401
      ? 'Put the key into a variable and name that with --key-env, as in --key-env MY_KEY.\n'
      : ''
  return new ReachError(shown, printable(message), { detail })
}

/** The errors of all built-in wires have their message here. */
function messageOf(body: unknown): string | undefined {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined
  return typeof error.message === 'string' ? error.message : undefined
}
