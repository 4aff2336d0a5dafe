/** What was used, added up by the hour: small rows that a store can keep. */

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

/** What tells rows apart, and what is added up. */
export const usageKeys = ['hour', 'model', 'upstream', 'client', 'owner'] as const
const usageSums = ['requests', 'failures', 'input', 'output', 'cacheRead', 'cost', 'unpriced'] as const

export function addRows(a: UsageRow, b: UsageRow): UsageRow {
  const sums = Object.fromEntries(usageSums.map(name => [name, a[name] + b[name]]))
  // All of its names are in the list.
  return { ...a, ...(sums as Pick<UsageRow, (typeof usageSums)[number]>) }
}

/** Rows with the same values under `keys` become one. */
export function sumRows(rows: Iterable<UsageRow>, keys: readonly (keyof UsageRow)[]): UsageRow[] {
  const sums = new Map<string, UsageRow>()
  for (const row of rows) {
    const key = JSON.stringify(keys.map(name => row[name]))
    const known = sums.get(key)
    sums.set(key, known === undefined ? row : addRows(known, row))
  }
  return [...sums.values()]
}

export const hourMs: number = 3_600_000
