/** Random operations give the same results with the memory store and with all others. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../packages/toolwire/src/store/memory-store.ts'
import { openPostgresStore } from '../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import { openRedisStore } from '../../packages/toolwire/src/store/redis/open-redis-store.ts'
import { openSqliteStore } from '../../packages/toolwire/src/store/sqlite-store.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../packages/toolwire/src/store/store-error.ts'
import { startPostgres, startRedis } from '../support/servers/servers.ts'
import { START } from './store-values.ts'

const owner = fc.constantFrom('ann', 'bob')
const holder = fc.constantFrom('up', 'down')
const responseIds = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7']
const responseId = fc.constantFrom(...responseIds)
const conversationId = fc.constantFrom('c1', 'c2')
const itemId = fc.constantFrom('i1', 'i2', 'i3', 'i4', 'i5', 'i6')
const text = fc.constantFrom('{}', '{"a":"äöü"}', JSON.stringify('x'.repeat(60)))
const item = fc.record({ id: itemId, json: text })
const fewItems = fc.array(item, { maxLength: 3 })
const time = fc.integer({ min: START, max: START + 60 })

/** An operation, and its name for the report of a failure. */
interface Step {
  readonly does: string
  readonly run: (store: Store) => Promise<unknown>
}

type Method = Exclude<
  keyof Store,
  | 'kind'
  | 'close'
  | 'check'
  | 'sweep'
  | 'maintain'
  | 'addUsage'
  | 'readUsage'
  | 'addTraces'
  | 'listTraces'
  | 'getTrace'
  | 'addCounts'
  | 'appendEvents'
  | 'readEvents'
  | 'watchEvents'
>

type Drawn<T extends readonly unknown[]> = { [K in keyof T]: fc.Arbitrary<T[K]> }

const call = <M extends Method>(method: M, ...args: Drawn<Parameters<Store[M]>>): fc.Arbitrary<Step> =>
  fc.tuple(...(args as readonly fc.Arbitrary<unknown>[])).map(values => ({
    does: `${method}(${JSON.stringify(values).slice(1, -1)})`,
    run: store => (store[method] as (...values: unknown[]) => Promise<unknown>)(...values),
  }))

const link = fc.oneof(fc.constant({}), fc.record({ previousId: responseId }), fc.record({ conversationId }))
const record = fc
  .tuple(
    fc.record({
      owner,
      id: responseId,
      createdAt: time,
      expiresAt: time,
      status: fc.constantFrom('completed', 'completed', 'incomplete', 'in_progress', 'failed'),
      response: text,
      input: fewItems,
      output: fewItems,
    }),
    link,
  )
  .map(([body, rest]) => ({ ...body, ...rest }))

const query = fc.record(
  { after: itemId, limit: fc.integer({ min: 1, max: 4 }), order: fc.constantFrom('asc', 'desc') },
  { requiredKeys: ['limit', 'order'] },
)

const write = fc.oneof(
  { weight: 4, arbitrary: call('saveResponse', record) },
  {
    weight: 2,
    arbitrary: call(
      'createConversation',
      fc.record({ owner, id: conversationId, createdAt: time, expiresAt: time, metadata: text }),
      fewItems,
    ),
  },
  { weight: 2, arbitrary: call('appendItems', owner, conversationId, fewItems) },
  { weight: 1, arbitrary: call('claimIds', owner, holder, fc.array(responseId, { maxLength: 3 }), time) },
  {
    weight: 1,
    arbitrary: call('swapClaim', holder, responseId, fc.option(owner, { nil: undefined }), owner, time),
  },
  { weight: 1, arbitrary: call('deleteResponse', owner, responseId) },
  { weight: 1, arbitrary: call('requestCancel', owner, responseId) },
  { weight: 1, arbitrary: call('deleteConversation', owner, conversationId) },
  { weight: 1, arbitrary: call('deleteItem', owner, conversationId, itemId) },
  {
    weight: 1,
    arbitrary: call(
      'updateConversation',
      owner,
      conversationId,
      fc.record({ metadata: text, expiresAt: time }, { requiredKeys: [] }),
    ),
  },
)

const read = fc.oneof(
  call('context', owner, responseId),
  call('getItems', owner, fc.array(itemId, { maxLength: 3 })),
  call('listItems', owner, conversationId, query),
  call('ownersOf', holder, fc.array(responseId, { maxLength: 5 })),
)

/** How far both clocks move before a step: mostly not at all. */
const passing = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 15 }) },
)
const sweeping = fc.oneof(
  { weight: 9, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
)
const moment = fc.record({
  passing,
  sweeping,
  step: fc.oneof({ weight: 3, arbitrary: write }, { weight: 1, arbitrary: read }),
})

async function outcome(attempt: Promise<unknown>): Promise<unknown> {
  try {
    const value = await attempt
    return value instanceof Map ? [...value] : value
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { refused: error.code, message: error.message }
  }
}

/** Everything that a store returns for the ids used here. */
async function everything(store: Store): Promise<unknown> {
  const seen: unknown[] = []
  for (const who of ['ann', 'bob']) {
    for (const id of responseIds) {
      seen.push(await store.getResponse(who, id), await store.context(who, id))
    }
    for (const id of ['c1', 'c2']) {
      seen.push(await store.getConversation(who, id))
      seen.push(await store.listItems(who, id, { limit: 100, order: 'asc' }))
    }
    seen.push([...(await store.getItems(who, ['i1', 'i2', 'i3', 'i4', 'i5', 'i6']))])
  }
  const stopping = await store.responsesToStop()
  seen.push(stopping.map(({ owner: who, id }) => `${who} ${id}`).sort())
  return seen
}

const folder = mkdtempSync(join(tmpdir(), 'toolwire-store-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let runs = 0

const redis = await startRedis()
const postgres = await startPostgres()
afterAll(() => Promise.all([redis?.stop(), postgres?.stop()]))

type Open = (options: { now: () => number; maxRecords: number; maxBytes: number }) => Promise<Store>

/** Those on servers take longer to open. */
const others: readonly (readonly [string, number, Open | undefined])[] = [
  ['SQLite', 5, options => openSqliteStore({ ...options, path: join(folder, `${runs}.db`) })],
  ['Redis', 20, redis && (options => openRedisStore({ ...options, url: redis.url, prefix: `${runs}:` }))],
  [
    'Postgres',
    40,
    postgres && (options => openPostgresStore({ ...options, url: postgres.url, schema: `s${runs}` })),
  ],
]

describe.each(others)('The memory store and %s', (_, share, open) => {
  test.skipIf(open === undefined)(
    'return the same results, errors and evictions.',
    {
      timeout: 240_000,
    },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(moment, { maxLength: 60, size: 'max' }), async moments => {
          runs += 1
          let time = START
          const options = { now: () => time, maxRecords: 5, maxBytes: 900 }
          const memory = createMemoryStore(options)
          const other = await (open as Open)(options)
          try {
            for (const { passing, sweeping, step } of moments) {
              time += passing
              if (sweeping) await Promise.all([memory.sweep(time), other.sweep(time)])
              const expected = await outcome(step.run(memory))
              expect(await outcome(step.run(other)), step.does).toEqual(expected)
              expect(await everything(other), `after ${step.does}`).toEqual(await everything(memory))
            }
          } finally {
            await other.close()
          }
        }),
        { numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 200) / share), endOnFailure: true },
      )
    },
  )
})
