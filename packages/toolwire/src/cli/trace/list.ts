/** The recent exchanges as a table, the newest last, where the eye is after a command. */
import type { Cells, ColumnName } from '../../telemetry/exchange-cells.ts'
import { exchangeCells } from '../../telemetry/exchange-cells.ts'
import type { Column } from '../../telemetry/exchange-rows.ts'
import { cut, headerCells, layOut } from '../../telemetry/exchange-rows.ts'
import type { TraceSummary } from '../../telemetry/traces/trace-document.ts'
import type { Colors } from '../../terminal/colors.ts'
import { displayWidth } from '../../terminal/display-width.ts'

/** Columns that a narrow terminal drops, in this order; the view of one exchange shows them all. */
const dispensable: readonly ColumnName[] = ['own', 'first', 'cost', 'tokens', 'losses', 'tools']
/** Then these are cut, but not below so many columns. */
const shrinkable: readonly (readonly [name: ColumnName, least: number])[] = [
  ['wire', 20],
  ['model', 12],
  ['notes', 10],
  ['wire', 9],
  ['model', 5],
]

/** `newestFirst`: the order in which the gateway lists them. */
export function traceTable(newestFirst: readonly TraceSummary[], colors: Colors, width: number): string {
  if (newestFirst.length === 0) return 'No exchanges yet. Send one to the gateway, and look again.\n'
  const rows = newestFirst.toReversed().map(summary => exchangeCells(summary, colors))
  const columns = fit(columnsOf(rows), width)
  const lines = [headerCells(columns, colors), ...rows.map(cells => cutAll(cells, columns))].map(
    cells => `${layOut(cells, columns).trimEnd()}\n`,
  )
  return `${lines.join('')}\n${colors.dim('"toolwire trace <id>" shows one of them.')}\n`
}

/** As wide as their widest cell. A column in which no row has anything is left out. */
function columnsOf(rows: readonly Cells[]): Column[] {
  const names = Object.keys(rows[0] ?? {}) as ColumnName[]
  return names.flatMap(name => {
    const widest = rows.reduce((most, cells) => Math.max(most, displayWidth(cells[name].text)), 0)
    return widest === 0 ? [] : [{ name, width: Math.max(widest, name.length) }]
  })
}

function fit(all: readonly Column[], width: number): readonly Column[] {
  let columns = all
  for (const name of dispensable) {
    if (excess(columns, width) <= 0) return columns
    columns = columns.filter(column => column.name !== name)
  }
  for (const [name, least] of shrinkable) {
    const over = excess(columns, width)
    if (over <= 0) return columns
    columns = columns.map(column =>
      column.name === name
        ? { name, width: Math.max(Math.min(least, column.width), column.width - over) }
        : column,
    )
  }
  return columns
}

function excess(columns: readonly Column[], width: number): number {
  return columns.reduce((sum, column) => sum + column.width + 2, -2) - width
}

function cutAll(cells: Cells, columns: readonly Column[]): Partial<Cells> {
  return Object.fromEntries(columns.map(({ name, width }) => [name, cut(cells[name], width)]))
}
