/** What each exchange used, added up by hour, model, upstream, client and key. Bounded, whatever names clients make up. */
import { inTurns } from '../platform/steps.ts'
import type { UsageRow } from '../platform/usage-row.ts'
import { addRows, hourMs, others, totalRows, usageKeys } from '../platform/usage-row.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'
import { SeriesTree } from './metric-families.ts'
import type { ExchangeFacts, FactsObserver } from './observer.ts'
import { isHousekeeping } from './observer.ts'

/** How many rows one hour may have; the rest is added up under this name. */
const rowsPerHour = 500
/** How many rows are kept where no store takes them: those of the oldest hours go first. */
const maxRows = 20_000
const maxNameLength = 100
const masker = createMasker()

/** What the exchanges with the same names used, in one hour. */
class Tally {
  readonly names: readonly string[]
  requests = 0
  failures = 0
  input = 0
  output = 0
  cacheRead = 0
  cost = 0
  unpriced = 0

  constructor(names: readonly string[]) {
    this.names = names
  }

  add({ status = 0, failure, abandoned, usage, cost }: ExchangeFacts): void {
    this.requests++
    if (!abandoned && (status >= 400 || failure !== undefined)) this.failures++
    if (usage === undefined) return
    this.input += usage.input
    this.output += usage.output
    this.cacheRead += usage.cacheRead ?? 0
    if (cost === undefined) this.unpriced++
    else this.cost += Math.round(cost * 1e6)
  }
}

const newTallies = (): SeriesTree<Tally> => new SeriesTree<Tally>([], names => new Tally(names))

export class UsageLedger {
  /** What was not added to the rows yet. */
  #tallies = newTallies()
  readonly #rows = new Map<string, UsageRow>()
  /** The rows of the latest hour, also those that were taken. */
  #seen = new Set<string>()
  #hour = 0

  readonly observer: FactsObserver = { ended: facts => this.#add(facts) }

  rows(): UsageRow[] {
    this.#settle()
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
    const { model, upstream, upstreamModel = model, client = '', owner = '' } = facts
    // The work on a background response is an exchange of its own.
    if (facts.finish === 'queued') return
    // What never got as far as a model used nothing.
    if (isHousekeeping(facts) || upstreamModel === undefined || upstream === undefined) return
    const hour = Math.floor(facts.at / hourMs)
    if (hour !== this.#hour || this.#tallies.all.length >= rowsPerHour) this.#settle()
    if (hour !== this.#hour) this.#seen = new Set()
    this.#hour = hour
    this.#tallies.of([short(upstreamModel), upstream, short(client), owner]).add(facts)
  }

  #settle(): void {
    const tallies = this.#tallies.all
    if (tallies.length === 0) return
    this.#tallies = newTallies()
    for (const { value } of tallies) {
      const { names, ...counts } = value
      const [model = '', upstream = '', client = '', owner = ''] = names
      const row = { model: nameOf(model), upstream: nameOf(upstream), client: nameOf(client), owner }
      this.#putBounded({ hour: this.#hour, ...row, ...counts })
    }
  }

  #putBounded(row: UsageRow): void {
    const key = keyOf(row)
    if (this.#seen.size >= rowsPerHour && !this.#seen.has(key)) {
      this.#put({ ...row, model: others, client: others, owner: others })
    } else {
      this.#seen.add(key)
      this.#put(row, key)
    }
  }

  #put(row: UsageRow, key: string = keyOf(row)): void {
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

function short(name: string): string {
  return name.length <= maxNameLength ? name : nameOf(name)
}

function nameOf(text: string): string {
  return maskedStart(text, maxNameLength, masker)
}

/** Where the rows are kept from one run to the next. */
export interface UsageKeeper {
  addUsage?(rows: readonly UsageRow[]): Promise<void>
  readUsage?(sinceHour: number, owner?: string): Promise<readonly UsageRow[]>
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

/** What was used since an hour, of one owner or of all, without the hours. `noted`: what the keeper does not have yet. */
export async function readUsage(
  noted: readonly UsageRow[],
  keeper: UsageKeeper | undefined,
  sinceHour: number,
  owner?: string,
): Promise<UsageRow[]> {
  const kept = (await keeper?.readUsage?.(sinceHour, owner)) ?? []
  const rows = [...kept, ...noted.filter(({ hour }) => hour >= sinceHour)]
  return inTurns(totalRows(rows, owner))
}
