/** The procedures of a store as scripts in Redis or Valkey. */
import { createHash } from 'node:crypto'
import { loadPeer } from '../shared/peer-package.ts'
import { type AddressForm, checkedAddress, trustRemedy, untrusted } from '../shared/plain-address.ts'
import type { Argument, ProcedureName, Procedures, Row } from '../shared/procedures.ts'
import { StoreError, type StoreErrorCode } from '../store-error.ts'
import { conversationScripts } from './lua-conversations.ts'
import { eventScripts } from './lua-events.ts'
import { prelude } from './lua-records.ts'
import { responseScripts } from './lua-responses.ts'
import { upkeepScripts } from './lua-upkeep.ts'

/** The part of `@redis/client` that is used. */
interface RedisClient {
  connect(): Promise<unknown>
  sendCommand(words: readonly string[]): Promise<unknown>
  on(event: 'error', listener: (error: unknown) => void): unknown
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  destroy(): void
}

interface RedisModule {
  createClient(options: {
    readonly url: string
    readonly disableOfflineQueue: boolean
    readonly socket: {
      readonly connectTimeout: number
      readonly socketTimeout?: number
      readonly reconnectStrategy: ((retries: number) => number) | false
    }
  }): RedisClient
}

export interface RedisOptions {
  /** `redis://`, or `rediss://` with TLS; `valkey://` and `valkeys://` are the same. */
  readonly url: string
  /** What all keys begin with. Default `{toolwire}:`; the braces keep them on one node of a cluster. */
  readonly prefix?: string
}

/** Data of a later version is refused. A step that changes what is stored gets the next number, and a migration. */
const version = 1

const sourceOf = (script: string): { readonly text: string; readonly sha: string } => {
  const text = `${prelude}${script}`
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
const scripts = new Map(
  Object.entries({ ...responseScripts, ...conversationScripts, ...eventScripts, ...upkeepScripts }).map(
    ([name, script]) => [name, sourceOf(script)] as const,
  ),
)

const form: AddressForm = {
  protocols: ['redis:', 'rediss:', 'valkey:', 'valkeys:'],
  example: 'redis://:password@host:6379/0',
  path: [/^(?:\/\d*)?$/, 'not the number of a database'],
  isStrict: true,
}

/** A connection without an answer for so long is replaced, before the gateway gives up. */
export const answerMs = 8_000

export async function connectRedis({ url, prefix = '{toolwire}:' }: RedisOptions): Promise<Procedures> {
  const address = checkedAddress(url, form)
  const { createClient } = await loadPeer<RedisModule>('@redis/client', 'Redis')
  const translate = (error: unknown): StoreError => asStoreError(error, address)
  const make = (isFirst: boolean, isBusy = false): RedisClient => {
    const client = createClient({
      url: url.replace(/^valkey/, 'redis'),
      disableOfflineQueue: true,
      socket: {
        connectTimeout: 5_000,
        // For one that falls silent before it can be used; later the lease is renewed again and again.
        ...(isBusy && { socketTimeout: answerMs }),
        reconnectStrategy: isFirst ? false : retries => Math.min(50 * 2 ** retries, 1_000),
      },
    })
    // Commands that fail say so themselves; without a listener the process would end.
    client.on('error', () => {})
    return client
  }
  // The first connection shows what is wrong at once; one that is kept comes back by itself.
  const probe = make(true)
  try {
    await probe.connect()
    await begin(probe, prefix, address)
  } catch (error) {
    throw translate(error)
  } finally {
    probe.destroy()
  }
  let client = make(false, true)
  await client.connect().catch((error: unknown) => {
    client.destroy()
    throw translate(error)
  })
  const replace = (silent: RedisClient): void => {
    if (silent !== client) return
    client = make(false, true)
    client.connect().catch(() => {})
    // All who wait for it are told.
    silent.destroy()
  }
  let listener: RedisClient | undefined
  return {
    kind: 'redis',
    async call(name, ...args) {
      const used = client
      const timer = setTimeout(() => replace(used), answerMs)
      try {
        return await run(used, prefix, name, args)
      } catch (error) {
        // After a failover the address leads to another server, and this connection to one that follows it.
        if (error instanceof Error && readOnly.test(error.message)) replace(used)
        throw translate(error)
      } finally {
        clearTimeout(timer)
      }
    },
    async listen(onWake) {
      if (listener !== undefined) return
      // A connection that listens can do nothing else. It subscribes again by itself when it was lost.
      listener = make(false)
      await listener.connect()
      await listener.subscribe(`${prefix}wake`, onWake)
    },
    async close() {
      client.destroy()
      listener?.destroy()
    },
  }
}

async function run(
  client: RedisClient,
  prefix: string,
  name: ProcedureName,
  args: readonly Argument[],
): Promise<readonly Row[]> {
  const { text, sha } = scripts.get(name) ?? sourceOf('')
  const words = ['1', prefix, ...args.flatMap(wordsOf)]
  const send = (how: string, script: string): Promise<unknown> => client.sendCommand([how, script, ...words])
  const rows = await send('EVALSHA', sha).catch((error: unknown) => {
    // After a restart the server knows no scripts.
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return send('EVAL', text)
    throw error
  })
  // All scripts return rows of texts.
  return rows as readonly Row[]
}

function wordsOf(arg: Argument): readonly string[] {
  if (arg === null) return ['']
  return typeof arg === 'object' ? [String(arg.length), ...arg] : [String(arg)]
}

/** Refuses a server that would drop parts of records by itself, and data of a later version. */
async function begin(client: RedisClient, prefix: string, address: string): Promise<void> {
  const info = String(await client.sendCommand(['INFO', 'memory']))
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(info) ?? []
  // Leases and the marks of what was deleted have times of expiry, which is what `volatile-…` looks for.
  if (policy !== 'noeviction') {
    throw new StoreError(
      'invalid',
      `The server at ${address} drops keys when its memory is full (maxmemory-policy ${policy}), which would tear ` +
        'responses, bring back deleted ones, or take gateways for dead. Set maxmemory-policy to noeviction; the store makes room itself, by maxBytes.',
    )
  }
  const key = `${prefix}version`
  await client.sendCommand(['SET', key, String(version), 'NX'])
  const found = Number(await client.sendCommand(['GET', key]))
  if (!Number.isInteger(found)) {
    throw new StoreError(
      'not_a_store',
      `The key ${key} at ${address} is of another program. Choose another prefix.`,
    )
  }
  if (found > version) {
    throw new StoreError(
      'newer_version',
      `The store at ${address} has version ${found}; this program knows versions up to ${version}. Update toolwire.`,
    )
  }
}

const readOnly = /^READONLY/

const codes: readonly (readonly [RegExp, StoreErrorCode, string])[] = [
  [/^(?:NOAUTH|WRONGPASS|NOPERM|ERR AUTH|ERR invalid password)/, 'no_access', 'Check user and password.'],
  [/^ERR (?:DB index|SELECT)/, 'no_access', 'Take a database that it has, such as 0.'],
  [untrusted, 'no_access', trustRemedy],
  [/^OOM/, 'full', 'Its memory is full. Raise maxmemory, or lower maxBytes.'],
  [/^MISCONF/, 'full', 'It cannot write its data to disk. Free some space.'],
  [readOnly, 'unavailable', 'It only follows another server. Give the address of the primary.'],
  [/^(?:BUSY|LOADING|TRYAGAIN)/, 'busy', 'Try again.'],
]

/** What the client calls its own doings, as people see them. */
const plainer: Readonly<Record<string, string>> = {
  'Disconnects client': `no answer came for ${answerMs / 1000} s`,
  'The client is offline': 'there is no connection to it',
}

function asStoreError(error: unknown, address: string): StoreError {
  if (error instanceof StoreError) return error
  const said = error instanceof Error ? error.message || error.name : String(error)
  const text = (plainer[said] ?? said).replace(/\.$/, '')
  const [, code, remedy] = codes.find(([pattern]) => pattern.test(text)) ?? []
  const reason = remedy ?? 'it does not answer. Start it, or check its address and the network.'
  return new StoreError(
    code ?? 'unavailable',
    `The store at ${address} cannot be used: ${text}. ${remedy ?? 'Check that it runs and can be reached.'}`,
    {
      cause: error,
      reason,
    },
  )
}
