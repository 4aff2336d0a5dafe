/**
 * Who has signed in to the inspector. A page and its feed send no key, so that a cookie stands for the key: a random text
 * that no script can read, and from which nobody learns the key.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { ClientHeaders } from '../http/headers.ts'

/** How long a session lasts, and how many there can be; the oldest makes room. */
const sessionMs = 12 * 3_600_000
const mostSessions = 1000

interface Session {
  /** The hash of the key that was presented. */
  readonly owner: string
  readonly until: number
}

export class Sessions {
  readonly #sessions = new Map<string, Session>()
  /** Links that sign in once, for somebody who never sees the key. */
  readonly #codes = new Map<string, Session>()
  readonly #clock: Pick<Clock, 'date'>

  constructor(clock: Pick<Clock, 'date'>) {
    this.#clock = clock
  }

  /** The value of `Set-Cookie` for whoever has presented this key. */
  open(owner: string, headers: ClientHeaders): string {
    const isSecure = headers.origin?.startsWith('https:') === true
    const token = this.#add(this.#sessions, owner)
    return `${cookieName(headers)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}${isSecure ? '; Secure' : ''}`
  }

  /** The owner, or `undefined` where nobody has signed in or it was too long ago. */
  ownerOf(headers: ClientHeaders): string | undefined {
    if (headers.cookie === undefined || this.#sessions.size === 0) return undefined
    const token = tokenIn(headers)
    return token === undefined ? undefined : this.#valid(this.#sessions.get(hash(token)))
  }

  /** Ends the session, and returns the value of `Set-Cookie` that forgets it. */
  close(headers: ClientHeaders): string {
    const token = tokenIn(headers)
    if (token !== undefined) this.#sessions.delete(hash(token))
    return `${cookieName(headers)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`
  }

  newCode(owner: string): string {
    return this.#add(this.#codes, owner)
  }

  /** The owner that the code was made for. It is of no use afterwards. */
  takeCode(code: string): string | undefined {
    const owner = this.#valid(this.#codes.get(hash(code)))
    this.#codes.delete(hash(code))
    return owner
  }

  #add(map: Map<string, Session>, owner: string): string {
    const token = randomBytes(24).toString('base64url')
    map.set(hash(token), { owner, until: this.#clock.date() + sessionMs })
    const [oldest] = map.keys()
    if (oldest !== undefined && map.size > mostSessions) map.delete(oldest)
    return token
  }

  #valid(session: Session | undefined): string | undefined {
    return session !== undefined && session.until > this.#clock.date() ? session.owner : undefined
  }
}

/** Looking up a hash, the time that it takes says nothing about the tokens that exist. */
function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

/** Cookies are shared by all ports of a host, and each port may be a gateway. */
function cookieName({ host = '' }: ClientHeaders): string {
  const port = /:(\d{1,5})$/.exec(host)?.[1]
  return port === undefined ? 'toolwire-session' : `toolwire-session-${port}`
}

function tokenIn(headers: ClientHeaders): string | undefined {
  const name = cookieName(headers)
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}
