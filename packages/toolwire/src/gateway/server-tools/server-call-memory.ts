/**
 * Calls that the gateway ran beside calls of the client's own. The client never sees them, so its next request lacks them,
 * and they are put back from here; `stored-calls.ts` shares them with other gateways. The memory is bounded in characters, since results can be long, and the owner who has
 * most makes room; a call that was dropped is only missing from the model's view.
 */
import type { ServerCallRecord } from '@toolwire/core'
import { OwnerShares } from '../../platform/owner-shares.ts'

export interface ServerCallMemory {
  /** `undefined`: the answer had no such calls. */
  add(owner: string, record: ServerCallRecord | undefined): void
  find(owner: string, callId: string): ServerCallRecord | undefined
  /** Whether it is known what `find` returns, also where that is nothing. */
  knows(owner: string, callId: string): boolean
  /** Takes what was found elsewhere, or that there is nothing. */
  note(owner: string, callId: string, record: ServerCallRecord | undefined): void
}

interface Entry {
  readonly record: ServerCallRecord | undefined
  readonly length: number
}

export function createServerCallMemory(limit: number): ServerCallMemory {
  /** By owner and the id of the call; the oldest first. */
  const owners = new Map<string, Map<string, Entry>>()
  const shares = new OwnerShares()
  let total = 0
  const grow = (owner: string, by: number): void => {
    total += by
    shares.add(owner, by)
  }
  const drop = (owner: string, callId: string): void => {
    const own = owners.get(owner)
    grow(owner, -(own?.get(callId)?.length ?? 0))
    own?.delete(callId)
    if (own?.size === 0) owners.delete(owner)
  }
  const put = (owner: string, callId: string, entry: Entry): void => {
    drop(owner, callId)
    const own = owners.get(owner) ?? new Map<string, Entry>()
    owners.set(owner, own.set(callId, entry))
    grow(owner, entry.length)
  }
  const makeRoom = (): void => {
    while (total > limit) {
      const largest = shares.largest() ?? ''
      const [oldest] = owners.get(largest)?.keys() ?? []
      if (oldest === undefined) break
      drop(largest, oldest)
    }
  }
  return {
    add(owner, record) {
      if (record === undefined) return
      const { length } = JSON.stringify(record)
      for (const callId of record.callIds) put(owner, callId, { record, length })
      makeRoom()
    },
    note(owner, callId, record) {
      put(owner, callId, { record, length: callId.length + (record ? JSON.stringify(record).length : 0) })
      makeRoom()
    },
    knows: (owner, callId) => owners.get(owner)?.has(callId) === true,
    find: (owner, callId) => owners.get(owner)?.get(callId)?.record,
  }
}
