/** What each exchange used, added up by hour, model, upstream, client and key. Bounded, whatever names clients make up. */
import type { UsageRow } from '../platform/usage-row.ts'
import { addRows, hourMs, sumRows, usageKeys } from '../platform/usage-row.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'
import type { ExchangeFacts, Observer } from './observer.ts'
import { isHousekeeping, onEnd } from './observer.ts'

/** How many rows one hour may have; the rest is added up under this name. */
const rowsPerHour = 500
const others = '(others)'
/** How many rows are kept where no store takes them: those of the oldest hours go first. */
const maxRows = 20_000
const maxNameLength = 100
const masker = createMasker()

export class UsageLedger {
  readonly #rows = new Map<string, UsageRow>()
  /** The rows of the latest hour, also those that were taken. */
  #seen = new Set<string>()
  #hour = 0

  readonly observer: Observer = onEnd(facts => () => this.#add(facts))

  rows(): UsageRow[] {
    return [...this.#rows.values()]
  }

  /** All rows, which from now on belong to the caller. */
  take(): UsageRow[] {
    const rows = this.rows()
    this.#rows.clear()
    return rows
  }

  /** Takes rows back that could not be kept elsewhere. */
  giveBack(rows: readonly UsageRow[]): void {
    for (const row of rows) this.#put(row)
  }

  #add(facts: ExchangeFacts): void {
    const { model, status = 0, usage, cost, at } = facts
    // What never got as far as a model used nothing.
    if (isHousekeeping(facts) || model === undefined || facts.upstream === undefined) return
    this.#put(
      this.#bounded({
        hour: Math.floor(at / hourMs),
        model: nameOf(facts.upstreamModel ?? model),
        upstream: nameOf(facts.upstream),
        client: nameOf(facts.client ?? ''),
        owner: facts.owner ?? '',
        requests: 1,
        failures: status >= 400 || facts.failure !== undefined ? 1 : 0,
        input: usage?.input ?? 0,
        output: usage?.output ?? 0,
        cacheRead: usage?.cacheRead ?? 0,
        cost: Math.round((cost ?? 0) * 1e6),
        unpriced: usage !== undefined && cost === undefined ? 1 : 0,
      }),
    )
  }

  #bounded(row: UsageRow): UsageRow {
    if (row.hour !== this.#hour) {
      this.#hour = row.hour
      this.#seen = new Set()
    }
    const key = keyOf(row)
    if (this.#seen.size >= rowsPerHour && !this.#seen.has(key)) {
      return { ...row, model: others, client: others, owner: others }
    }
    this.#seen.add(key)
    return row
  }

  #put(row: UsageRow): void {
    const key = keyOf(row)
    const known = this.#rows.get(key)
    this.#rows.set(key, known === undefined ? row : addRows(known, row))
    while (this.#rows.size > maxRows) {
      const [oldest = ''] = this.#rows.keys()
      this.#rows.delete(oldest)
    }
  }
}

function keyOf(row: UsageRow): string {
  return JSON.stringify(usageKeys.map(name => row[name]))
}

function nameOf(text: string): string {
  return maskedStart(text, maxNameLength, masker)
}

/** Where the rows are kept from one run to the next. */
export interface UsageKeeper {
  addUsage?(rows: readonly UsageRow[]): Promise<void>
  readUsage?(sinceHour: number): Promise<readonly UsageRow[]>
}

/** Moves the rows to the keeper. What it cannot take now is tried again with the next ones. */
export async function flushUsage(ledger: UsageLedger, keeper: UsageKeeper | undefined): Promise<void> {
  if (keeper?.addUsage === undefined) return
  const rows = ledger.take()
  if (rows.length === 0) return
  try {
    await keeper.addUsage(rows)
  } catch {
    ledger.giveBack(rows)
  }
}

/** What was used since an hour, of one owner or of all, without the hours. */
export async function readUsage(
  ledger: UsageLedger,
  keeper: UsageKeeper | undefined,
  sinceHour: number,
  owner?: string,
): Promise<UsageRow[]> {
  const kept = (await keeper?.readUsage?.(sinceHour)) ?? []
  const fits = (row: UsageRow): boolean =>
    row.hour >= sinceHour && (owner === undefined || row.owner === owner)
  const rows = [...kept, ...ledger.rows()].filter(fits)
  return sumRows(rows, ['model', 'upstream', 'client', 'owner'])
}
