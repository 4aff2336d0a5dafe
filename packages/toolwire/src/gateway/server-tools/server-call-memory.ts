/**
 * Calls that the gateway ran beside calls of the client's own. The client never sees them, so its next request lacks them,
 * and they are put back from here. The memory is bounded in characters, since results can be long; a call that was
 * dropped is only missing from the model's view.
 */
import type { ServerCallRecord } from '@toolwire/core'

export interface ServerCallMemory {
  /** `undefined`: the answer had no such calls. */
  add(owner: string, record: ServerCallRecord | undefined): void
  find(owner: string, callId: string): ServerCallRecord | undefined
}

interface Entry {
  readonly record: ServerCallRecord
  readonly length: number
}

export function createServerCallMemory(limit: number): ServerCallMemory {
  const records = new Map<string, Entry>()
  let total = 0
  const keyOf = (owner: string, callId: string): string => `${owner} ${callId}`
  const drop = (key: string): void => {
    total -= records.get(key)?.length ?? 0
    records.delete(key)
  }
  const put = (key: string, entry: Entry): void => {
    drop(key)
    records.set(key, entry)
    total += entry.length
  }
  return {
    add(owner, record) {
      if (record === undefined) return
      const { length } = JSON.stringify(record)
      for (const callId of record.callIds) put(keyOf(owner, callId), { record, length })
      for (const oldest of records.keys()) {
        if (total <= limit) break
        drop(oldest)
      }
    },
    find: (owner, callId) => records.get(keyOf(owner, callId))?.record,
  }
}
