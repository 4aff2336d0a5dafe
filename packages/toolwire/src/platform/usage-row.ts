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
  for (const row of rows) {
    const key = JSON.stringify(keys.map(name => row[name]))
    const known = sums.get(key)
    sums.set(key, known === undefined ? row : addRows(known, row))
  }
  return [...sums.values()]
}

export const hourMs: number = 3_600_000
