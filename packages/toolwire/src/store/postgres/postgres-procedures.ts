/** The procedures of a store as functions in Postgres. */
import { loadPeer } from '../shared/peer-package.ts'
import { type AddressForm, checkedAddress, trustRemedy, untrusted } from '../shared/plain-address.ts'
import type { Procedures, Row } from '../shared/procedures.ts'
import { StoreError, type StoreErrorCode } from '../store-error.ts'
import type { PostgresClient, Query } from './client.ts'
import { Listener } from './listener.ts'
import { migrate } from './migrations.ts'

interface Pool {
  query(query: Query): Promise<{ readonly rows: readonly Row[] }>
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: unknown) => void): unknown
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown
  end(): Promise<void>
}

interface PostgresModule {
  readonly default: { readonly Pool: new (options: object) => Pool }
}

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `?sslmode=…` where needed. */
  readonly url: string
  /** Created if it is missing. Default `toolwire`. */
  readonly schema?: string
  /** How many connections a gateway may open, of which one may listen for events. Default 8, at least 2. */
  readonly connections?: number
}

/** The wait for a connection and for an answer are together below the time after which the gateway gives up: what it gave up must not happen later. */
export const connectMs = 4_500
export const statementMs = 4_500
/** A server that can be reached has given the statement up before; a connection on which nothing arrives is replaced. */
export const answerMs = 5_000

const form: AddressForm = {
  protocols: ['postgres:', 'postgresql:'],
  example: 'postgres://user:password@host:5432/database',
}

export async function connectPostgres(options: PostgresOptions): Promise<Procedures> {
  const { url, schema = 'toolwire', connections = 8 } = options
  const address = checkedAddress(url, form)
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(schema)) {
    throw new StoreError('invalid', `schema must be a name of letters, digits, "_" and "-"; it is ${schema}.`)
  }
  if (!Number.isInteger(connections) || connections < 2) {
    throw new StoreError('invalid', `connections must be a number from 2 on; it is ${connections}.`)
  }
  const { default: pg } = await loadPeer<PostgresModule>('pg', 'Postgres')
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    keepAlive: true,
    application_name: 'toolwire',
  })
  // A connection that breaks is replaced, and whoever used it is told; without a listener the process would end.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  const translate = (error: unknown): StoreError => asStoreError(error, address)
  try {
    await migrate(await pool.connect(), schema, address)
  } catch (error) {
    await pool.end()
    throw translate(error)
  }
  let listener: Listener | undefined
  return {
    kind: 'postgres',
    async call(name, ...args) {
      const places = args.map((_, at) => `$${at + 1}`).join(', ')
      const text = `SELECT * FROM "${schema}".${name}(${places})`
      const query: Query = { text, values: args, rowMode: 'array', query_timeout: answerMs }
      try {
        return await retried(async () => (await pool.query(query)).rows)
      } catch (error) {
        throw translate(error)
      }
    },
    async listen(onWake) {
      if (listener !== undefined) return
      listener = new Listener(() => pool.connect(), onWake)
      await listener.begin()
    },
    async close() {
      listener?.end()
      await pool.end()
    },
  }
}

/** A transaction that the server gave up in favour of another has changed nothing. */
async function retried<T>(act: () => Promise<T>, times = 3): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (times === 0 || !/^40(?:001|P01)$/.test(codeOf(error))) throw error
    return retried(act, times - 1)
  }
}

const codeOf = (error: unknown): string =>
  String((error as { readonly code?: unknown } | undefined)?.code ?? '')

/** What a pooler says to `statement_timeout`, without which a statement might end after the gateway has given it up. */
const pooler = /unsupported startup parameter/
const behindPooler = 'It is a pooler. Give the address of Postgres itself; the gateway has a pool of its own.'

/** The command has no setting for it, and "limits.connections" is about clients. */
const tooMany =
  'Raise its max_connections: each gateway, and each worker process of one, opens up to eight, or "connections" of openPostgresStore.'

/** By the state and the words of an error. */
const codes: readonly (readonly [RegExp, StoreErrorCode, string])[] = [
  [pooler, 'no_access', behindPooler],
  [/does not support SSL/, 'no_access', 'Switch TLS on there, or leave out sslmode.'],
  [
    /^28000 .*no encryption/,
    'no_access',
    'Add ?sslmode=verify-full to the address, or let this user in without TLS.',
  ],
  [/^28/, 'no_access', 'Check user and password.'],
  [untrusted, 'no_access', trustRemedy],
  [/^3D000 /, 'no_access', 'Create the database first.'],
  [/^42501 /, 'no_access', 'Grant the user CREATE on the database, or create the schema for it.'],
  [
    /^(?:3F000|42P01|42883) /,
    'unavailable',
    'Its schema was dropped or changed. Restart a gateway, which makes it again.',
  ],
  [/^53100 /, 'full', 'Its disk is full. Free some space, or lower maxBytes.'],
  [/^53300 /, 'busy', tooMany],
  [/^53/, 'busy', 'Give it more memory.'],
  [/^(?:40|55P03|57014)/, 'busy', 'Try again.'],
]

function asStoreError(error: unknown, address: string): StoreError {
  if (error instanceof StoreError) return error
  const text = error instanceof Error ? error.message || codeOf(error) || error.name : String(error)
  const said = `${codeOf(error)} ${text}`
  const [, code, remedy] = codes.find(([pattern]) => pattern.test(said)) ?? []
  return new StoreError(
    code ?? 'unavailable',
    `The store at ${address} cannot be used: ${text}. ${remedy ?? 'Check that it runs and can be reached.'}`,
    { cause: error, reason: remedy ?? 'it does not answer. Start it, or check its address and the network.' },
  )
}
