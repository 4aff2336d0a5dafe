/** The recent exchanges as a table, the newest last, where the eye is after a command. */
import type { Cell } from '../../telemetry/exchange-cells.ts'
import { exchangeCells, headerCells, layOut } from '../../telemetry/exchange-cells.ts'
import type { TraceSummary } from '../../telemetry/trace-document.ts'
import type { Colors } from '../colors.ts'
import { displayWidth } from '../diff/display-width.ts'

/** `newestFirst`, as the gateway gives them. */
export function traceTable(newestFirst: readonly TraceSummary[], colors: Colors): string {
  if (newestFirst.length === 0) return 'No exchanges yet. Send one to the gateway, and look again.\n'
  const rows = newestFirst.toReversed().map(summary => exchangeCells(summary, colors))
  const names = headerCells(colors)
  // A column in which no row has anything is left out.
  const widths = names.map((_, i) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[i]?.text ?? '')), 0),
  )
  const used = widths.flatMap((width, i) => (width === 0 ? [] : [i]))
  const pick = (cells: readonly Cell[]): Cell[] => used.flatMap(i => cells[i] ?? [])
  const shown = used.map(i => Math.max(widths[i] ?? 0, names[i]?.text.length ?? 0))
  const lines = [names, ...rows].map(cells => `${layOut(pick(cells), shown)}\n`)
  return `${lines.join('')}\n${colors.dim('"toolwire trace <id>" shows one of them.')}\n`
}
