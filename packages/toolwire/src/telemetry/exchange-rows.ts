/**
 * Exchanges as rows of a table. In a log the widths must be known before the rows; where the terminal is too narrow for
 * all columns, those are left out that a trace tells as well.
 */
import { stripVTControlCharacters } from 'node:util'
import type { Colors } from '../terminal/colors.ts'
import { cutToWidth, displayWidth } from '../terminal/display-width.ts'
import type { Cell, Cells, ColumnName } from './exchange-cells.ts'
import { exchangeCells } from './exchange-cells.ts'
import type { ExchangeRecord } from './exchange-record.ts'

export interface Column {
  readonly name: ColumnName
  readonly width: number
}

const gap = '  '
const rightAligned: ReadonlySet<ColumnName> = new Set(['first', 'total', 'own', 'tokens'])

/** What fits most rows; the longest pair of wires fits exactly. */
const usualColumns: readonly Column[] = [
  { name: 'time', width: 8 },
  { name: 'code', width: 4 },
  { name: 'wire', width: 20 },
  { name: 'model', width: 24 },
  { name: 'first', width: 7 },
  { name: 'total', width: 7 },
  { name: 'own', width: 7 },
  { name: 'tokens', width: 12 },
]
/** Said behind the columns, where there is anything to say. */
const tail: readonly ColumnName[] = ['tools', 'losses', 'notes', 'id']
const idWidth = 12
/** Most answers call a few tools, if any, and none of the other things are usual. */
const toolsWidth = '2 calls'.length
const leastModel = 8

/** Below so many columns of the terminal, these are left out. */
const dropped: readonly (readonly [below: number, names: readonly ColumnName[]])[] = [
  [120, ['first', 'own']],
  [100, ['tokens', 'tools']],
]

function droppedBelow(width: number): ColumnName[] {
  return dropped.flatMap(([below, names]) => (width < below ? names : []))
}

/** One exchange on a line of its own, where the other rows are not known. What does not fit goes below. */
export function exchangeRow(record: ExchangeRecord, colors: Colors, width: number): string {
  const columns = columnsFor(width)
  const cells = exchangeCells(record, colors)
  const fitted = width === Number.POSITIVE_INFINITY ? cells : cutNames(cells, columns)
  const left = droppedBelow(width)
  // Tools that failed are always told of.
  const said = tail.filter(name => !left.includes(name) || (name === 'tools' && record.tool_failures > 0))
  const rest = said.map(name => cells[name]).filter(({ text }) => text !== '')
  return breakTail(layOut(fitted, columns), rest, width)
}

/** The names of those columns that are aligned there. */
export function headerRow(colors: Colors, width: number): string {
  const columns = columnsFor(width)
  return `${layOut(headerCells(columns, colors), columns)}\n`
}

export function headerCells(columns: readonly Column[], colors: Colors): Partial<Cells> {
  return Object.fromEntries(columns.map(({ name }) => [name, { text: name, paint: colors.dim }]))
}

/** Without those for which there is no room; the model gets what the others leave. */
function columnsFor(width: number): readonly Column[] {
  const without = droppedBelow(width)
  const kept = usualColumns.filter(({ name }) => !without.includes(name))
  const others = kept.reduce((sum, column) => sum + (column.name === 'model' ? 0 : column.width), 0)
  const said = idWidth + (without.includes('tools') ? 0 : toolsWidth + gap.length)
  const room = width - others - said - kept.length * gap.length
  return kept.map(column =>
    column.name === 'model'
      ? { ...column, width: Math.max(leastModel, Math.min(column.width, room)) }
      : column,
  )
}

/** A route, which is longer than a wire, may use the room of a model that is not known. */
function cutNames(cells: Cells, columns: readonly Column[]): Cells {
  const widthOf = (name: ColumnName): number => columns.find(column => column.name === name)?.width ?? 0
  const model = cut(cells.model, widthOf('model'))
  const room = widthOf('wire') + (model.text === '' ? widthOf('model') : 0)
  return { ...cells, model, wire: cut(cells.wire, room) }
}

export function cut(cell: Cell, width: number): Cell {
  return { ...cell, text: cutToWidth(cell.text, width) }
}

/** Cells one below the other. A column of no cell stays empty. */
export function layOut(cells: Partial<Cells>, columns: readonly Column[]): string {
  const shown: string[] = []
  // What a cell takes beyond its width, the next ones with room to spare give back.
  let debt = 0
  for (const { name, width } of columns) {
    const { text = '', paint = same } = cells[name] ?? {}
    const spare = width - displayWidth(text)
    const paid = Math.min(debt, Math.max(0, spare))
    debt += Math.max(0, -spare) - paid
    const room = ' '.repeat(Math.max(0, spare - paid))
    const painted = text === '' ? '' : paint(text)
    shown.push(rightAligned.has(name) ? room + painted : painted + room)
  }
  return shown.join(gap)
}

const same = (text: string): string => text

/** The rest of the row behind its columns, and below them from where the line is full. */
function breakTail(row: string, rest: readonly Cell[], width: number): string {
  const below = ' '.repeat(10)
  let text = row
  let used = displayWidth(stripVTControlCharacters(row))
  for (const cell of rest) {
    const more = gap.length + displayWidth(cell.text)
    const fits = used + more <= width
    text = fits
      ? `${text}${gap}${cell.paint(cell.text)}`
      : `${text.trimEnd()}\n${below}${cell.paint(cell.text)}`
    used = fits ? used + more : below.length + displayWidth(cell.text)
  }
  return `${text.trimEnd()}\n`
}
