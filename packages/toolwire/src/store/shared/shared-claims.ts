/** The parts of a store on a server that have no records: claims, usage, counters and secrets; and how its procedures are called. */
import { inTurns } from '../../platform/steps.ts'
import { totalRows, type UsageRow } from '../../platform/usage-row.ts'
import { checkCounts, checkId, checkKey, checkTime, isId } from '../checks.ts'
import type { CountChange, Counts } from '../store.ts'
import { closedError, damaged } from '../store-error.ts'
import type { Argument, ProcedureName, Procedures, Row } from './procedures.ts'
import { claimSum, secretSum, usageIn, usageLists } from './rows.ts'

export interface Server {
  readonly procedures: Procedures
  readonly now: () => number
}

export abstract class SharedClaims {
  readonly kind: string
  protected readonly now: () => number
  protected isOpen = true
  readonly #procedures: Procedures

  constructor({ procedures, now }: Server) {
    this.kind = procedures.kind
    this.now = now
    this.#procedures = procedures
  }

  async claimIds(owner: string, holder: string, ids: readonly string[], expiresAt: number): Promise<void> {
    checkKey(owner, holder)
    checkTime('expiresAt', expiresAt)
    const valid = ids.filter(isId)
    if (valid.length === 0) return
    const sums = valid.map(id => claimSum(holder, id, owner, expiresAt))
    await this.call('claim_ids', owner, holder, expiresAt, valid, sums)
  }

  async swapClaim(
    holder: string,
    id: string,
    expected: string | undefined,
    owner: string,
    expiresAt: number,
  ): Promise<boolean> {
    checkKey(owner, holder)
    checkId('id', id)
    checkTime('expiresAt', expiresAt)
    const sum = claimSum(holder, id, owner, expiresAt)
    return this.did('swap_claim', ...[this.now(), holder, id, expected ?? null, owner, expiresAt, sum])
  }

  async ownersOf(holder: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    checkId('holder', holder)
    const valid = [...new Set(ids.filter(isId))]
    const rows = valid.length === 0 ? [] : await this.call('owners_of', this.now(), holder, valid)
    const owners = new Map(
      rows.map(([id, owner, expiresAt, sum]) => {
        if (claimSum(holder, id ?? '', owner ?? '', Number(expiresAt)) !== sum)
          throw damaged('claim', id ?? '')
        return [id ?? '', owner ?? '']
      }),
    )
    return new Map(ids.flatMap(id => (owners.has(id) ? [[id, owners.get(id) ?? '']] : [])))
  }

  async addUsage(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length > 0) await this.call('add_usage', ...usageLists(rows))
  }

  async readUsage(sinceHour: number, owner?: string): Promise<readonly UsageRow[]> {
    return inTurns(totalRows(usageIn(await this.call('read_usage', Math.floor(sinceHour))), owner))
  }

  async addCounts(owner: string, changes: readonly CountChange[]): Promise<Counts> {
    checkCounts(owner, changes)
    const rows = await this.call(
      'add_counts',
      ...[this.now(), owner, changes.map(({ name }) => name), changes.map(({ by }) => String(by))],
      ...[changes.map(({ most = '' }) => String(most)), changes.map(({ expiresAt }) => String(expiresAt))],
    )
    return { isAdded: rows.every(([isAdded]) => isAdded === '1'), values: rows.map(row => Number(row[1])) }
  }

  async secret(name: string, candidate: string): Promise<string> {
    checkId('name', name)
    checkId('candidate', candidate)
    const [row] = await this.call('secret', name, candidate, secretSum(name, candidate))
    const value = row?.[0] ?? ''
    if (secretSum(name, value) !== row?.[1]) throw damaged('secret', name)
    return value
  }

  protected async did(name: ProcedureName, ...args: readonly Argument[]): Promise<boolean> {
    return (await this.call(name, ...args)).length > 0
  }

  protected async amount(name: ProcedureName, ...args: readonly Argument[]): Promise<number> {
    return Number((await this.call(name, ...args))[0]?.[0] ?? 0)
  }

  protected async call(name: ProcedureName, ...args: readonly Argument[]): Promise<readonly Row[]> {
    this.assertOpen()
    return this.#procedures.call(name, ...args)
  }

  protected async listen(onWake: (name: string) => void): Promise<void> {
    this.assertOpen()
    await this.#procedures.listen(onWake)
  }

  protected assertOpen(): void {
    if (!this.isOpen) throw closedError()
  }

  protected async disconnect(): Promise<void> {
    this.isOpen = false
    await this.#procedures.close()
  }
}
