/**
 * The last word on a background response. Nobody waits for it, so a store in trouble is asked again for a while; what
 * it still does not take is kept here, so that no response is in progress for ever, and is offered to it once more
 * whenever somebody asks.
 */
import type { SignalLike } from '@toolwire/core'
import { failedWith } from '../../store/lifecycle.ts'
import type { ResponseRecord, Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'
import type { Clock } from '../clock.ts'
import { asGatewayError } from '../send-error.ts'
import { pause } from '../upstream/retry.ts'

/** All that is needed of a store to keep a response. */
export type ResponseWriter = Pick<Store, 'saveResponse'>

export interface UnsavedResponses {
  /** For one response: a keeper with patience, which ends when it is used up or the work is given up. */
  keeper(signal: SignalLike): ResponseWriter
  /** What became of a response of which the store knows no end. */
  missed(owner: string, id: string): Promise<ResponseRecord | undefined>
  forget(owner: string, id: string): void
}

/** Half a minute in all, besides the time that the store itself takes to fail. */
const waitsMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 16_000]

export function createUnsavedResponses(
  store: Store | undefined,
  clock: Clock,
  limit: number,
): UnsavedResponses {
  const missed = new Map<string, ResponseRecord>()
  const keyOf = ({ owner, id }: Pick<ResponseRecord, 'owner' | 'id'>): string => `${owner} ${id}`

  const save = async (record: ResponseRecord): Promise<void> => {
    await store?.saveResponse(record)
    missed.delete(keyOf(record))
  }

  const miss = (record: ResponseRecord, error: unknown): void => {
    missed.set(keyOf(record), unkept(record, error))
    for (const oldest of missed.keys()) {
      if (missed.size <= limit) break
      missed.delete(oldest)
    }
  }

  return {
    keeper(signal) {
      const waits = [...waitsMs]
      return {
        async saveResponse(record) {
          for (;;) {
            try {
              return await save(record)
            } catch (error) {
              const wait = isPassing(error) && !signal.aborted ? waits.shift() : undefined
              if (wait === undefined) {
                miss(record, error)
                throw error
              }
              await pause(wait, clock, signal)
            }
          }
        },
      }
    },
    async missed(owner, id) {
      const record = missed.get(keyOf({ owner, id }))
      // If it cannot be kept now either, there will be another time.
      if (record !== undefined) await save(record).catch(() => {})
      return record
    },
    forget: (owner, id) => void missed.delete(keyOf({ owner, id })),
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'busy' || error.code === 'unavailable')
}

/** What was not kept cannot be continued, so it must not be called complete. */
function unkept(record: ResponseRecord, error: unknown): ResponseRecord {
  if (record.status === 'failed' || record.status === 'cancelled') return record
  const { kind, code = kind, message } = asGatewayError(error)
  return { ...record, status: 'failed', response: failedWith(record.response, { code, message }) }
}
