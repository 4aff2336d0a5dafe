/**
 * The tests that every store must pass. The adapter of another database calls it in its own test file:
 *
 *     describeStore('redis', { open: async options => openRedisStore({ ...options, client, prefix: randomUUID() }) })
 *
 * `open` returns an empty store each time, with the clock and limits of its options; the suite closes it. `again`,
 * which is optional, opens a second store on the data of the one opened last, as another process would.
 */
import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { describeClaims } from './describe-claims.ts'
import { describeConversations } from './describe-conversations.ts'
import { describeCounts } from './describe-counts.ts'
import { describeResponses } from './describe-responses.ts'
import { describeRetention } from './describe-retention.ts'
import { describeSecrets } from './describe-secrets.ts'
import { describeSharing } from './describe-sharing.ts'
import { type Clock, clock } from './store-values.ts'

interface OpenOptions {
  readonly now: () => number
  /** A clock that never jumps; without it, `now` is one. */
  readonly elapsed?: () => number
  readonly maxRecords?: number
  readonly maxBytes?: number
}

export interface StoreMaker {
  readonly open: (options: OpenOptions) => Promise<Store>
  readonly again?: (options: OpenOptions) => Promise<Store>
  /** It has several connections, so that an operation may overtake one that has not resolved. */
  readonly isPooled?: boolean
}

/** What the tests of one store share. The store is opened with default limits before each test. */
export interface Bench {
  clock: Clock
  store: Store
  readonly openWith: (options: Partial<OpenOptions>) => Promise<Store>
  readonly openAgain: () => Promise<Store>
  readonly isPooled: boolean
}

export function describeStore(name: string, maker: StoreMaker): void {
  describe(`the ${name} store`, () => {
    const opened: Store[] = []
    const closeLater = (store: Store): Store => {
      opened.push(store)
      return store
    }
    const bench: Bench = {
      clock: clock(),
      isPooled: maker.isPooled === true,
      // Replaced before each test.
      store: undefined as unknown as Store,
      openWith: async options => closeLater(await maker.open({ now: bench.clock.now, ...options })),
      openAgain: async () => {
        if (maker.again === undefined) throw new Error('This store is not shared.')
        return closeLater(await maker.again({ now: bench.clock.now }))
      },
    }
    beforeEach(async () => {
      bench.clock = clock()
      bench.store = await bench.openWith({})
    })
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close()
    })

    describeResponses(bench)
    describeConversations(bench)
    describeClaims(bench)
    describeCounts(bench, maker.again !== undefined)
    describeSecrets(bench, maker.again !== undefined)
    describeRetention(bench)
    if (maker.again !== undefined) describeSharing(bench)
  })
}
