/** The rows of the comparison of two wires, with each diagnostic at the row that it is about. */
import type { Diagnostic } from '@toolwire/core'
import type { Pair } from '../../../toolwire/src/reading/pairs.ts'
import type { Reading } from '../../../toolwire/src/reading/reading.ts'
import type { Trace } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { valueAt } from './json-tree.ts'
import { depthIn, isWithin } from './pins.ts'

export interface PairRow {
  readonly pair: Pair
  readonly state: PairState
  readonly client: readonly Diagnostic[]
  readonly upstream: readonly Diagnostic[]
}

/** What the gateway did with a field on its way. */
export type PairState = 'added' | 'left-out' | 'same' | 'rewritten'
/** A request goes from the client to the upstream, an answer the other way. */
export type Direction = 'request' | 'answer'

type Sides = Reading['request']

/** A path of the request's conversion is in the client's body, one of the answer's in the upstream's. */
export function splitDiagnostics(
  trace: Trace,
  { request, answer }: Reading,
): { readonly request: Diagnostic[]; readonly answer: Diagnostic[] } {
  const split: { request: Diagnostic[]; answer: Diagnostic[] } = { request: [], answer: [] }
  for (const diagnostic of [...trace.losses, ...(trace.notes ?? [])]) {
    const asked = depthIn(request.client, diagnostic.path)
    const answered = depthIn(answer.upstream, diagnostic.path)
    split[answered > asked ? 'answer' : 'request'].push(diagnostic)
  }
  return split
}

const order: { readonly [kind in Pair['kind']]: number } = { message: 0, tool: 1, setting: 2, other: 3 }

export function pairRows(
  sides: Sides,
  diagnostics: readonly Diagnostic[],
  direction: Direction,
): { readonly rows: PairRow[]; readonly unplaced: Diagnostic[] } {
  const source = direction === 'request' ? 'client' : 'upstream'
  const left = new Set(diagnostics)
  const rows = [...sides.pairs]
    .sort((a, b) => order[a.kind] - order[b.kind])
    .map((pair): PairRow => {
      const mine = [...left].filter(
        ({ path }) => path.length > 0 && pair[source].some(root => isWithin(path, root)),
      )
      for (const diagnostic of mine) left.delete(diagnostic)
      return {
        pair,
        state: stateOf(sides, pair, source),
        client: source === 'client' ? mine : [],
        upstream: source === 'upstream' ? mine : [],
      }
    })
  return { rows: rows.map(row => withParents(row, left, source)), unplaced: [...left] }
}

/** A diagnostic about a whole list, such as the tools, stands at the first row of the list. */
function withParents(row: PairRow, left: Set<Diagnostic>, source: 'client' | 'upstream'): PairRow {
  const more = [...left].filter(
    ({ path }) => path.length > 0 && row.pair[source].some(root => isWithin(root, path)),
  )
  for (const diagnostic of more) left.delete(diagnostic)
  return more.length === 0 ? row : { ...row, [source]: [...row[source], ...more] }
}

function stateOf(sides: Sides, pair: Pair, source: 'client' | 'upstream'): PairState {
  const target = source === 'client' ? 'upstream' : 'client'
  if (pair[source].length === 0) return 'added'
  if (pair[target].length === 0) return 'left-out'
  return sameJson(sides, pair) ? 'same' : 'rewritten'
}

function sameJson({ client, upstream }: Sides, pair: Pair): boolean {
  if (pair.client.length !== 1 || pair.upstream.length !== 1) return false
  const [ours, theirs] = [valueAt(client, pair.client[0] ?? []), valueAt(upstream, pair.upstream[0] ?? [])]
  return JSON.stringify(ours) === JSON.stringify(theirs)
}
