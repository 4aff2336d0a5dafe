/**
 * The final state of background responses. No client waits for it, so saving is retried for a while when the store is in
 * trouble. What still cannot be saved is kept here, so that no response stays in progress for ever, and is offered to the
 * store again whenever a client requests it.
 */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import { failedWith } from '../../store/lifecycle.ts'
import type { ResponseRecord, Store } from '../../store/store.ts'
import { StoreError, type StoreErrorCode } from '../../store/store-error.ts'
import { asGatewayError, isOver } from '../errors.ts'
import { pause } from '../upstream/retry.ts'

/** The part of a store that saves responses. */
export type ResponseWriter = Pick<Store, 'saveResponse'>

export interface UnsavedResponses {
  /** Retries until its waits are used up or the signal aborts. One for each response. */
  retryingWriter(signal: SignalLike): ResponseWriter
  /** The final state of a response that the store has only as unfinished. */
  takeUnsaved(owner: string, id: string): Promise<ResponseRecord | undefined>
  forget(owner: string, id: string): void
}

/** Half a minute in all, besides the time that the store itself takes to fail. */
const waitsMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 16_000]

/** `limit`: of all texts together, in characters. */
export function createUnsavedResponses(
  store: Store | undefined,
  clock: Clock,
  limit: number,
): UnsavedResponses {
  const unsaved = new Map<string, ResponseRecord>()
  const keyOf = ({ owner, id }: Pick<ResponseRecord, 'owner' | 'id'>): string => `${owner} ${id}`

  let total = 0
  const forget = (key: string): void => {
    const record = unsaved.get(key)
    if (record !== undefined) total -= lengthOf(record)
    unsaved.delete(key)
  }

  const save = async (record: ResponseRecord): Promise<void> => {
    await store?.saveResponse(record)
    forget(keyOf(record))
  }

  const remember = (record: ResponseRecord, error: unknown): void => {
    const failed = asFailed(record, error)
    forget(keyOf(record))
    unsaved.set(keyOf(record), failed)
    total += lengthOf(failed)
    for (const oldest of unsaved.keys()) {
      if (total <= limit) break
      forget(oldest)
    }
  }

  return {
    retryingWriter(signal) {
      const waits = [...waitsMs]
      return {
        async saveResponse(record) {
          for (;;) {
            try {
              return await save(record)
            } catch (error) {
              const wait = isTemporary(error) && !signal.aborted ? waits.shift() : undefined
              if (wait === undefined) {
                // What was deleted or ended meanwhile, here or by another gateway, is to stay so.
                if (!isOver(error)) remember(record, error)
                throw error
              }
              await pause(wait, clock, signal)
            }
          }
        },
      }
    },
    async takeUnsaved(owner, id) {
      const record = unsaved.get(keyOf({ owner, id }))
      // If it cannot be saved now either, the next request tries again.
      if (record !== undefined) await save(record).catch(() => {})
      return record
    },
    forget: (owner, id) => forget(keyOf({ owner, id })),
  }
}

/** What a record costs beside its texts. */
const recordCost = 1024

function lengthOf({ response, input, output }: ResponseRecord): number {
  const items = [...input, ...output].reduce((sum, { json }) => sum + json.length, 0)
  return recordCost + response.length + items
}

const temporary: ReadonlySet<StoreErrorCode> = new Set(['busy', 'full', 'unavailable'])

function isTemporary(error: unknown): boolean {
  return error instanceof StoreError && temporary.has(error.code)
}

/** A response that was not saved cannot be continued, so it must not count as completed. */
function asFailed(record: ResponseRecord, error: unknown): ResponseRecord {
  if (record.status === 'failed' || record.status === 'cancelled') return record
  const { kind, code = kind, message } = asGatewayError(error)
  return { ...record, status: 'failed', response: failedWith(record.response, { code, message }) }
}
