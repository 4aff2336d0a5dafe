/**
 * Who has signed in to the inspector. A page and its feed send no key, so that a cookie stands for the key: a random text
 * that no script can read, and from which nobody learns the key.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { OwnerShares } from '../../platform/owner-shares.ts'
import type { ClientHeaders } from '../http/headers.ts'

/** How long a session lasts, and how many there can be; the oldest of the key that has most makes room. */
const sessionMs = 12 * 3_600_000
const mostSessions = 1000

export interface Session {
  /** The hash of the key that was presented. */
  readonly owner: string
  readonly until: number
}

/** The same gateway in other processes, where a session holds too. Tokens go by their hashes. */
export interface SessionPeers {
  /** All three resolve when the others know of it. */
  opened(token: string, session: Session): Promise<void>
  closed(token: string): Promise<void>
  /** The owner, from the process that made the code. */
  takeCode(code: string): Promise<string | undefined>
}

/** What the other processes ask of this one. */
export interface LocalSessions {
  /** The sessions that are open, for a process that begins later. */
  all(): readonly (readonly [token: string, session: Session])[]
  add(token: string, session: Session): void
  remove(token: string): void
  takeCode(code: string): string | undefined
}

export type ShareSessions = (local: LocalSessions) => SessionPeers

interface SessionTable {
  /** The oldest first. */
  readonly byHash: Map<string, Session>
  readonly shares: OwnerShares
}

export class Sessions {
  readonly #sessions: SessionTable = { byHash: new Map(), shares: new OwnerShares() }
  /** Links that sign in once, for somebody who never sees the key. */
  readonly #codes: SessionTable = { byHash: new Map(), shares: new OwnerShares() }
  readonly #clock: Pick<Clock, 'date'>
  readonly #peers: SessionPeers | undefined

  constructor(clock: Pick<Clock, 'date'>, share?: ShareSessions) {
    this.#clock = clock
    this.#peers = share?.({
      all: () => [...this.#sessions.byHash],
      add: (token, session) => this.#add(this.#sessions, token, session),
      remove: token => remove(this.#sessions, token),
      takeCode: code => this.#takeCode(code),
    })
  }

  /** The value of `Set-Cookie` for whoever has presented this key. */
  async open(owner: string, headers: ClientHeaders): Promise<string> {
    // Whoever signs in again leaves nothing behind.
    await this.#end(headers)
    const isSecure = headers.origin?.startsWith('https:') === true
    const [token, session] = this.#new(this.#sessions, owner)
    await this.#peers?.opened(hash(token), session)
    return `${cookieName(headers)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}${isSecure ? '; Secure' : ''}`
  }

  /** The owner, or `undefined` where nobody has signed in or it was too long ago. */
  ownerOf(headers: ClientHeaders): string | undefined {
    if (headers.cookie === undefined || this.#sessions.byHash.size === 0) return undefined
    const token = tokenIn(headers)
    return token === undefined ? undefined : this.#valid(this.#sessions.byHash.get(hash(token)))
  }

  /** Ends the session, and returns the value of `Set-Cookie` that forgets it. */
  async close(headers: ClientHeaders): Promise<string> {
    await this.#end(headers)
    return `${cookieName(headers)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`
  }

  newCode(owner: string): string {
    return this.#new(this.#codes, owner)[0]
  }

  /** The owner that the code was made for. It is of no use afterwards. */
  async takeCode(code: string): Promise<string | undefined> {
    return this.#takeCode(hash(code)) ?? (await this.#peers?.takeCode(hash(code)))
  }

  #takeCode(hashed: string): string | undefined {
    const owner = this.#valid(this.#codes.byHash.get(hashed))
    remove(this.#codes, hashed)
    return owner
  }

  async #end(headers: ClientHeaders): Promise<void> {
    const token = tokenIn(headers)
    if (token === undefined) return
    remove(this.#sessions, hash(token))
    await this.#peers?.closed(hash(token))
  }

  #new(table: SessionTable, owner: string): [token: string, session: Session] {
    const token = randomBytes(24).toString('base64url')
    const session = { owner, until: this.#clock.date() + sessionMs }
    this.#add(table, hash(token), session)
    return [token, session]
  }

  #add(table: SessionTable, hashed: string, session: Session): void {
    remove(table, hashed)
    table.byHash.set(hashed, session)
    table.shares.add(session.owner, 1)
    if (table.byHash.size > mostSessions) makeRoom(table, this.#clock.date())
  }

  #valid(session: Session | undefined): string | undefined {
    return session !== undefined && session.until > this.#clock.date() ? session.owner : undefined
  }
}

function remove({ byHash, shares }: SessionTable, key: string): void {
  const session = byHash.get(key)
  if (session === undefined) return
  byHash.delete(key)
  shares.add(session.owner, -1)
}

/** What is over goes first; else the oldest of whoever has most, so that nobody is signed out by another's sign-ins. */
function makeRoom(table: SessionTable, now: number): void {
  for (const [key, { until }] of table.byHash) if (until <= now) remove(table, key)
  if (table.byHash.size <= mostSessions) return
  const largest = table.shares.largest()
  for (const [key, { owner }] of table.byHash) {
    if (owner !== largest) continue
    remove(table, key)
    return
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
