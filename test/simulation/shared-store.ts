/**
 * One store that several simulated processes share. Its operations take time, and faults may make any of them fail,
 * stall, or be lost with the process that called it. What a dead process left unfinished is marked as failed when another
 * opens or sweeps the store, as the contract of stores requires.
 */
import { failedByRestart, isFinished } from '../../packages/toolwire/src/store/lifecycle.ts'
import { createMemoryStore } from '../../packages/toolwire/src/store/memory-store.ts'
import type { ResponseRecord, Store } from '../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../packages/toolwire/src/store/store-error.ts'
import type { TimerGroup } from '../support/soak/clock.ts'
import type { Random } from '../support/soak/random.ts'
import type { Gate } from './gate.ts'
import { never } from './gate.ts'

export interface Operation {
  /** Counted over all processes, from 1; 0 for upkeep. */
  readonly number: number
  readonly name: string
  readonly isWrite: boolean
}

/** `isDone`: the operation takes effect, though its caller is not told so. */
export type Disturbance =
  | { readonly kind: 'fails'; readonly code: 'unavailable' | 'busy' }
  | { readonly kind: 'stalls'; readonly milliseconds: number; readonly isDone: boolean }
  | { readonly kind: 'is lost'; readonly isDone: boolean }
  /** No store may do that: it shows whether the checks notice. */
  | { readonly kind: 'lies' }

export interface StoreUser {
  readonly name: string
  readonly gate: Gate
  kill(why: string): void
}

export interface SharedStore {
  open(user: StoreUser): Store
  /** The process has ended in good order. */
  leave(user: StoreUser): Promise<void>
  /** Asked before each operation; the first disturbance counts. */
  intercept(interceptor: (operation: Operation) => Disturbance | undefined): void
  /** What the store has, without its faults. */
  peek(id: string): ResponseRecord | undefined
}

export interface SharedStoreOptions {
  readonly clock: TimerGroup
  readonly random: Random
  note(line: string): void
  count(what: string): void
}

const writes = /^(save|create|update|append|delete|request|check|sweep|maintain)/

export function createSharedStore({ clock, random, note, count }: SharedStoreOptions): SharedStore {
  const inner = createMemoryStore({ now: clock.date, maxRecords: 100_000 })
  const last = new Map<string, ResponseRecord>()
  const unfinished = new Map<string, { readonly record: ResponseRecord; readonly user: StoreUser }>()
  /** Which process works, or has worked, on a response. */
  const writers = new Map<string, StoreUser>()
  const interceptors: ((operation: Operation) => Disturbance | undefined)[] = []
  let operations = 0

  const failUnfinished = async (isOver: (user: StoreUser) => boolean): Promise<void> => {
    for (const [id, { record, user }] of [...unfinished]) {
      if (!isOver(user)) continue
      unfinished.delete(id)
      const failed = { ...record, status: 'failed', response: failedByRestart(record.response) }
      last.set(id, failed)
      const { conversationId: _, ...outside } = failed
      await inner.saveResponse(failed).catch(() => inner.saveResponse(outside))
    }
  }
  const failOrphans = (): Promise<void> => failUnfinished(({ gate }) => !gate.isOpen)

  const perform = async (user: StoreUser, name: string, args: readonly unknown[]): Promise<unknown> => {
    if (name === 'sweep' || name === 'maintain') await failOrphans()
    const result = await Reflect.apply(Reflect.get(inner, name), inner, args)
    if (name === 'saveResponse') {
      const record = args[0] as ResponseRecord
      last.set(record.id, record)
      if (isFinished(record.status)) unfinished.delete(record.id)
      else {
        unfinished.set(record.id, { record, user })
        writers.set(record.id, user)
      }
    }
    if (name === 'responsesToStop')
      return (result as readonly { id: string }[]).filter(({ id }) => writers.get(id) === user)
    if (name === 'deleteResponse') {
      last.delete(String(args[1]))
      unfinished.delete(String(args[1]))
    }
    return result
  }

  const wait = (milliseconds: number): Promise<void> =>
    new Promise(resolve => clock.after(milliseconds, resolve))

  const work = async (user: StoreUser, name: string, args: readonly unknown[]): Promise<unknown> => {
    const isUpkeep = name === 'sweep' || name === 'maintain'
    const operation = { number: isUpkeep ? 0 : ++operations, name, isWrite: writes.test(name) }
    const disturbance = interceptors.reduce<Disturbance | undefined>(
      (found, interceptor) => found ?? interceptor(operation),
      undefined,
    )
    note(`store ${operation.number} ${user.name} ${name} ${disturbance?.kind ?? ''}`)
    if (disturbance === undefined) {
      if (random.chance(0.3)) await wait(random.between(1, 40))
      // A process that died meanwhile has not sent it.
      return user.gate.isOpen ? perform(user, name, args) : never()
    }
    count(`store ${disturbance.kind}`)
    if (disturbance.kind === 'lies') return undefined
    if (disturbance.kind === 'fails') throw new StoreError(disturbance.code, 'The disk is full.')
    if (disturbance.isDone) await perform(user, name, args).catch(() => {})
    if (disturbance.kind === 'is lost') {
      user.kill(`at operation ${operation.number} of the store`)
      return never()
    }
    await wait(disturbance.milliseconds)
    throw new StoreError('unavailable', 'The disk does not answer.')
  }

  return {
    open(user) {
      void failOrphans()
      return new Proxy(inner, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          return (...args: readonly unknown[]) =>
            user.gate.cross() ? user.gate.guard(work(user, String(name), args)) : never()
        },
      })
    },
    leave: user => failUnfinished(other => other === user),
    intercept: interceptor => void interceptors.push(interceptor),
    peek: id => last.get(id),
  }
}
