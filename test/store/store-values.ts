/** Records, conversations and items for the tests of stores, and the code of a refusal. */
import type { Conversation, Item, ResponseRecord } from '../../packages/toolwire/src/store/store.ts'
import { StoreError, type StoreErrorCode } from '../../packages/toolwire/src/store/store-error.ts'

export const START = 1_700_000_000_000
export const HOUR = 3_600_000

export const item = (id: string, text = id): Item => ({
  id,
  json: JSON.stringify({ type: 'message', id, text }),
})

export const items = (...ids: readonly string[]): Item[] => ids.map(id => item(id))

export const ids = (list: readonly Item[] | undefined): readonly string[] | undefined =>
  list?.map(({ id }) => id)

/** A completed response of owner `ann` with one item in and one out, unless changed. */
export const response = (id: string, change: Partial<ResponseRecord> = {}): ResponseRecord => ({
  owner: 'ann',
  id,
  createdAt: START,
  expiresAt: START + HOUR,
  status: 'completed',
  response: JSON.stringify({ id, object: 'response', status: 'completed' }),
  input: items(`${id}-in`),
  output: items(`${id}-out`),
  ...change,
})

export const conversation = (id: string, change: Partial<Conversation> = {}): Conversation => ({
  owner: 'ann',
  id,
  createdAt: START,
  expiresAt: START + HOUR,
  metadata: '{}',
  ...change,
})

/** The code of the refusal, or `undefined`. Any other failure is thrown. */
export async function refusal(attempt: Promise<unknown>): Promise<StoreErrorCode | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (error instanceof StoreError) return error.code
    throw error
  }
}

export interface Clock {
  time: number
  readonly now: () => number
}

export function clock(): Clock {
  const it = { time: START, now: () => it.time }
  return it
}
