/**
 * Where every field goes, found by sending it: each leaf of the fixtures is marked, converted, and looked for in what
 * comes out. Positions in lists are written as `[]`, so that one row speaks of all of them.
 */
import type { Diagnostic, Wire } from '@toolwire/core'
import { wires } from './fixtures.ts'
import type { Path } from './leaves.ts'
import { isCovered, leaves, markLeaves } from './leaves.ts'

export interface FieldRow {
  readonly field: string
  /** For each wire, where the field goes, or the code that says what became of it. */
  readonly fates: ReadonlyMap<Wire, string>
}

export type Conversion = (body: unknown, to: Wire) => { value: unknown; diagnostics: Diagnostic[] }

export function mapFields(bodies: readonly unknown[], convert: Conversion): FieldRow[] {
  const rows = new Map<string, Map<Wire, string>>()
  for (const body of bodies) {
    const { value: marked, marks } = markLeaves(body)
    for (const to of wires) {
      const { value, diagnostics } = convert(marked, to)
      const found = leaves(value).map(leaf => ({ path: leaf.path, text: String(leaf.value) }))
      for (const { path, mark } of marks) {
        const field = spell(path)
        const row = rows.get(field) ?? new Map<Wire, string>()
        const places = found.filter(({ text }) => text.includes(mark))
        const at = places.find(place => area(place.path) === area(path)) ?? places[0]
        const fate = at === undefined ? (codeFor(path, diagnostics) ?? 'restated') : `\`${spell(at.path)}\``
        if (!row.has(to) || row.get(to)?.startsWith('`') === false) row.set(to, fate)
        rows.set(field, row)
      }
    }
  }
  return [...rows].map(([field, fates]) => ({ field, fates })).sort((a, b) => (a.field < b.field ? -1 : 1))
}

function codeFor(path: Path, diagnostics: readonly Diagnostic[]): string | undefined {
  const nearest = diagnostics
    .filter(diagnostic => isCovered(path, [diagnostic]))
    .sort((a, b) => b.path.length - a.path.length || weight(b, path) - weight(a, path))[0]
  return nearest && `*${nearest.code}*`
}

const sealed: ReadonlySet<unknown> = new Set(['encrypted_content', 'signature'])

/** Of two that speak of one place, the one that tells of a loss; of a seal, the one that tells of seals. */
function weight({ code, severity }: Diagnostic, path: Path): number {
  if (code === 'reasoning_sealed' && sealed.has(path.at(-1))) return 2
  return severity === 'info' ? 0 : 1
}

/** Names and ids stand in several places; the one that plays the same part is the one that counts. */
function area(path: Path): string {
  const first = path[0]
  const last = path.at(-1)
  if (last === 'tool_call_id' || last === 'tool_use_id') return 'result'
  if (first === 'functions' || first === 'tools') return 'tools'
  return first === 'tool_choice' || first === 'function_call' ? 'choice' : 'rest'
}

const schemas: ReadonlySet<unknown> = new Set(['parameters', 'input_schema', 'output_schema', 'schema'])

/** Schemas pass as they are, so one row speaks for all that is in them. */
function spell(path: Path): string {
  const schema = path.findIndex(key => schemas.has(key))
  const shown = schema < 0 ? path : path.slice(0, schema + 1)
  // A mark is no JSON, so as arguments it is wrapped; real arguments are not.
  const text = shown
    .filter(key => key !== '_raw')
    .map((key, i) => (typeof key === 'number' ? '[]' : i === 0 ? key : `.${key}`))
  return text.join('')
}
