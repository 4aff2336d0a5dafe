/** What was used, added up by the hour: small rows that a store can keep. */
import type { Steps } from './steps.ts'

export interface UsageRow {
  /** Hours since 1970. */
  readonly hour: number
  readonly model: string
  readonly upstream: string
  /** The program that asked, by the name in its `User-Agent`. */
  readonly client: string
  /** Whose key it was. */
  readonly owner: string
  readonly requests: number
  readonly failures: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  /** In millionths of a US dollar. */
  readonly cost: number
  /** Requests whose tokens are known and whose price is not. */
  readonly unpriced: number
}

/** What tells rows apart. */
export const usageKeys = ['hour', 'model', 'upstream', 'client', 'owner'] as const

/** Written out, because it is done for every exchange. */
export function addRows(a: UsageRow, b: UsageRow): UsageRow {
  return {
    hour: a.hour,
    model: a.model,
    upstream: a.upstream,
    client: a.client,
    owner: a.owner,
    requests: a.requests + b.requests,
    failures: a.failures + b.failures,
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cost: a.cost + b.cost,
    unpriced: a.unpriced + b.unpriced,
  }
}

/** Rows with the same values under `keys` become one. */
export function sumRows(rows: Iterable<UsageRow>, keys: readonly (keyof UsageRow)[]): UsageRow[] {
  const sums = new Map<string, UsageRow>()
  for (const row of rows) addTo(sums, row, keyOf(row, keys))
  return [...sums.values()]
}

function addTo(sums: Map<string, UsageRow>, row: UsageRow, key: string): void {
  const known = sums.get(key)
  sums.set(key, known === undefined ? row : addRows(known, row))
}

function keyOf(row: UsageRow, keys: readonly (keyof UsageRow)[]): string {
  return JSON.stringify(keys.map(name => row[name]))
}

/** What stands for the names of rows beyond a limit. */
export const others = '(others)'
const mostTotals = 5_000
const names = ['model', 'upstream', 'client', 'owner'] as const

/** The rows without their hours, of one owner or of all. Clients make up names: beyond the limit, those of an upstream are one. */
export function* totalRows(rows: Iterable<UsageRow>, owner?: string): Steps<UsageRow[]> {
  const totals = new Map<string, UsageRow>()
  for (const row of rows) {
    const key = keyOf(row, names)
    yield key.length
    if (owner !== undefined && row.owner !== owner) continue
    if (totals.size < mostTotals || totals.has(key)) addTo(totals, row, key)
    else {
      const rest = { ...row, model: others, client: others, owner: owner ?? others }
      addTo(totals, rest, keyOf(rest, names))
    }
  }
  return [...totals.values()]
}

export const hourMs: number = 3_600_000
