/**
 * Exchanges as rows of a table. A log needs fixed column widths, because later rows are unknown. On a narrow terminal
 * it leaves out columns that `toolwire trace` also shows.
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
const rightAligned: ReadonlySet<ColumnName> = new Set(['first', 'total', 'own', 'tokens', 'cost'])

/** Wide enough for most rows; the longest pair of wires fits exactly. */
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
/** Shown after the columns, if not empty. */
const tail: readonly ColumnName[] = ['cost', 'tools', 'losses', 'notes', 'id']
const idWidth = 12
/** Most answers call few tools, and the other cells of the tail are rarely filled. */
const toolsWidth = '2 calls'.length
const minModelWidth = 8

/** On a terminal with fewer columns than this, these cells are left out. */
const dropped: readonly (readonly [below: number, names: readonly ColumnName[]])[] = [
  [120, ['first', 'own']],
  [100, ['tokens', 'tools']],
]

function droppedBelow(width: number): ColumnName[] {
  return dropped.flatMap(([below, names]) => (width < below ? names : []))
}

/** One exchange as a row of the log. What does not fit goes to a second line. */
export function exchangeRow(record: ExchangeRecord, colors: Colors, width: number): string {
  const columns = columnsFor(width)
  const cells = exchangeCells(record, colors)
  const fitted = width === Number.POSITIVE_INFINITY ? cells : cutNames(cells, columns)
  const without = droppedBelow(width)
  // Failed tools are always shown.
  const shown = tail.filter(name => !without.includes(name) || (name === 'tools' && record.tool_failures > 0))
  const rest = shown.map(name => cells[name]).filter(({ text }) => text !== '')
  return breakTail(layOut(fitted, columns), rest, width)
}

/** The header for rows of this width. */
export function headerRow(colors: Colors, width: number): string {
  const columns = columnsFor(width)
  return `${layOut(headerCells(columns, colors), columns)}\n`
}

export function headerCells(columns: readonly Column[], colors: Colors): Partial<Cells> {
  return Object.fromEntries(columns.map(({ name }) => [name, { text: name, paint: colors.dim }]))
}

/** The columns that fit; the model gets the space that the others leave. */
function columnsFor(width: number): readonly Column[] {
  const without = droppedBelow(width)
  const columns = usualColumns.filter(({ name }) => !without.includes(name))
  const others = columns.reduce((sum, column) => sum + (column.name === 'model' ? 0 : column.width), 0)
  const tailWidth = idWidth + (without.includes('tools') ? 0 : toolsWidth + gap.length)
  const room = width - others - tailWidth - columns.length * gap.length
  return columns.map(column =>
    column.name === 'model'
      ? { ...column, width: Math.max(minModelWidth, Math.min(column.width, room)) }
      : column,
  )
}

/** A route is longer than a wire, and may use the space of an unknown model. */
function cutNames(cells: Cells, columns: readonly Column[]): Cells {
  const widthOf = (name: ColumnName): number => columns.find(column => column.name === name)?.width ?? 0
  const model = cut(cells.model, widthOf('model'))
  const room = widthOf('wire') + (model.text === '' ? widthOf('model') : 0)
  return { ...cells, model, wire: cut(cells.wire, room) }
}

export function cut(cell: Cell, width: number): Cell {
  return { ...cell, text: cutToWidth(cell.text, width) }
}

/** Pads cells to their columns. A column without a cell stays empty. */
export function layOut(cells: Partial<Cells>, columns: readonly Column[]): string {
  const shown: string[] = []
  // A cell that is too wide takes space from later cells that have some to spare.
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

/** Appends the tail to the row, and continues on a new line when the line is full. */
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
