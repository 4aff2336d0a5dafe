/**
 * The final state of background responses. No client waits for it, so saving is retried for a while when the store is in
 * trouble. What still cannot be saved is kept here, so that no response stays in progress for ever. It is offered to the
 * store again every few seconds, for those who ask other gateways, and whenever a client asks for it here, who is told of it
 * only once it is stored.
 */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import { bareReceipt, failedWith, isFinished } from '../../store/lifecycle.ts'
import type { NewEvents, ResponseRecord, Store } from '../../store/store.ts'
import { StoreError, type StoreErrorCode } from '../../store/store-error.ts'
import { asGatewayError, isOver } from '../errors.ts'
import { pause } from '../upstream/retry.ts'

/** The part of a store that saves responses. */
export type ResponseWriter = Pick<Store, 'saveResponse'>

export interface UnsavedResponses {
  /** Retries until its waits are used up or the signal aborts. One for each response. */
  retryingWriter(signal: SignalLike): ResponseWriter
  /**
   * For a client that waits: tries again for a moment where it is not certain whether the store has taken it, since the client
   * would be told otherwise. `isKept`: what stays uncertain is offered as failed, as the client is told then.
   */
  certainWriter(signal: SignalLike, isKept: boolean): ResponseWriter
  /**
   * Saves the final state of a response that the store has only as unfinished, and returns it. `over`: it has ended otherwise
   * meanwhile, or was deleted; the store knows. Rejects if the store does not take it.
   */
  takeUnsaved(owner: string, id: string): Promise<ResponseRecord | 'over' | undefined>
  forget(owner: string, id: string): void
  /** Nothing is offered any more. */
  stop(): void
}

/** Half a minute in all, besides the time that the store itself takes to fail. */
const waitsMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 16_000]

/** With a client that waits. */
const briefWaitsMs: readonly number[] = [250, 1_000]

const offerMs = 10_000

/** `limit`: of all texts together, in characters. */
export function createUnsavedResponses(
  store: Store | undefined,
  clock: Clock,
  limit: number,
): UnsavedResponses {
  return new OfferedResponses(store, clock, limit)
}

class OfferedResponses implements UnsavedResponses {
  readonly #store: Store | undefined
  readonly #clock: Clock
  readonly #unsaved: UnsavedRecords
  /** Of which the store may have nothing at all. */
  readonly #unbegun = new Set<string>()
  readonly #offers: Offers

  constructor(store: Store | undefined, clock: Clock, limit: number) {
    this.#store = store
    this.#clock = clock
    this.#unsaved = new UnsavedRecords(limit)
    this.#offers = createOffers(clock, () => this.#offerAll())
  }

  retryingWriter(signal: SignalLike): ResponseWriter {
    return this.#writer(waitsMs, signal, isTemporary, (record, error) => {
      // What was deleted or ended meanwhile, here or by another gateway, is to stay so.
      if (!isOver(error)) this.#remember(record, error)
    })
  }

  certainWriter(signal: SignalLike, isKept: boolean): ResponseWriter {
    return this.#writer(briefWaitsMs, signal, isUncertain, (record, error) => {
      if (!isKept || !isUncertain(error)) return
      this.#remember(record, error)
      this.#unbegun.add(keyOf(record))
    })
  }

  async takeUnsaved(owner: string, id: string): Promise<ResponseRecord | 'over' | undefined> {
    const key = keyOf({ owner, id })
    const record = this.#unsaved.get(key)
    // Nobody is told of an end that the store has not taken: other gateways, or this one after a restart, would deny it.
    return record && this.#offer(key, record)
  }

  forget(owner: string, id: string): void {
    this.#forget(keyOf({ owner, id }))
  }

  stop(): void {
    this.#unsaved.clear()
    this.#offers.stop()
  }

  #writer(
    waitsMs: readonly number[],
    signal: SignalLike,
    isWorthwhile: (error: unknown) => boolean,
    onFailure: (record: ResponseRecord, error: unknown) => void,
  ): ResponseWriter {
    const waits = [...waitsMs]
    return {
      saveResponse: async (record, events) => {
        try {
          await retrySave(() => this.#save(record, events), waits, this.#clock, signal, isWorthwhile)
        } catch (error) {
          onFailure(record, error)
          throw error
        }
      },
    }
  }

  async #save(record: ResponseRecord, events?: NewEvents): Promise<void> {
    await this.#store?.saveResponse(record, events)
    this.#forget(keyOf(record))
  }

  async #offerAll(): Promise<boolean> {
    for (const [key, record] of this.#unsaved.all()) {
      try {
        if (await isSettled(this.#store, record, this.#unbegun.has(key))) this.#forget(key)
        else await this.#offer(key, record)
      } catch {
        // It is offered again.
      }
    }
    return this.#unsaved.size > 0
  }

  /** What a store refuses for good is not offered in vain for ever: some end is better than none. */
  async #offer(key: string, record: ResponseRecord): Promise<ResponseRecord | 'over'> {
    try {
      await this.#save(record)
      return record
    } catch (error) {
      if (isOver(error)) {
        this.#forget(key)
        return 'over'
      }
      const bare = bareReceipt(record)
      if (isTemporary(error) || lengthOf(bare) >= lengthOf(record)) throw error
      if (this.#unsaved.get(key) !== undefined) this.#unsaved.set(key, bare)
      return this.#offer(key, bare)
    }
  }

  #remember(record: ResponseRecord, error: unknown): void {
    const key = keyOf(record)
    this.#forget(key)
    this.#unsaved.set(key, asFailed(record, error))
    this.#unsaved.makeRoom()
    this.#offers.begin()
  }

  #forget(key: string): void {
    this.#unsaved.delete(key)
    this.#unbegun.delete(key)
    if (this.#unsaved.size === 0) this.#offers.stop()
  }
}

const keyOf = ({ owner, id }: Pick<ResponseRecord, 'owner' | 'id'>): string => `${owner} ${id}`

/** Within a limit of all texts together, in characters. */
class UnsavedRecords {
  readonly #records = new Map<string, ResponseRecord>()
  readonly #limit: number
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#records.size
  }

  all(): readonly [string, ResponseRecord][] {
    return [...this.#records]
  }

  get(key: string): ResponseRecord | undefined {
    return this.#records.get(key)
  }

  set(key: string, record: ResponseRecord): void {
    const before = this.#records.get(key)
    this.#total += lengthOf(record) - (before === undefined ? 0 : lengthOf(before))
    this.#records.set(key, record)
  }

  delete(key: string): void {
    const record = this.#records.get(key)
    if (record !== undefined) this.#total -= lengthOf(record)
    this.#records.delete(key)
  }

  clear(): void {
    this.#records.clear()
    this.#total = 0
  }

  /** The oldest are shortened first; only what is bare is given up. */
  makeRoom(): void {
    for (const [key, record] of this.#records) {
      if (this.#total <= this.#limit) return
      this.set(key, bareReceipt(record))
    }
    for (const oldest of this.#records.keys()) {
      if (this.#total <= this.#limit) return
      this.delete(oldest)
    }
  }
}

/** Uses up the waits. */
async function retrySave(
  save: () => Promise<void>,
  waits: number[],
  clock: Clock,
  signal: SignalLike,
  isWorthwhile: (error: unknown) => boolean,
): Promise<void> {
  for (;;) {
    try {
      return await save()
    } catch (error) {
      const wait = isWorthwhile(error) && !signal.aborted ? waits.shift() : undefined
      if (wait === undefined) throw error
      await pause(wait, clock, signal)
    }
  }
}

/** A store may have taken an end whose receipt was lost. Clients may have been told of it, so it stays. */
async function isSettled(
  store: Store | undefined,
  { owner, id }: ResponseRecord,
  isUnbegun: boolean,
): Promise<boolean> {
  const known = await store?.getResponse(owner, id)
  return known === undefined ? !isUnbegun : isFinished(known.status)
}

interface Offers {
  begin(): void
  stop(): void
}

/** Offers every few seconds, as long as something is left. */
function createOffers(clock: Clock, offer: () => Promise<boolean>): Offers {
  let stopTimer: (() => void) | undefined
  const begin = (): void => {
    stopTimer ??= clock.after(offerMs, () => void run())
  }
  const run = async (): Promise<void> => {
    const isLeft = await offer()
    stopTimer = undefined
    if (isLeft) begin()
  }
  return {
    begin,
    stop() {
      stopTimer?.()
      stopTimer = undefined
    },
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

/** What a store that does not answer was given, it may have taken. */
function isUncertain(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'busy' || error.code === 'unavailable')
}

/** A response that was not saved cannot be continued, so it must not count as completed. */
function asFailed(record: ResponseRecord, error: unknown): ResponseRecord {
  if (record.status === 'failed' || record.status === 'cancelled') return record
  const { kind, code = kind, message } = asGatewayError(error)
  const { responsePieces: _, ...rest } = record
  return { ...rest, status: 'failed', response: failedWith(record.response, { code, message }) }
}
