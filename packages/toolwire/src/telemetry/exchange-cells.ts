/** The cells of one exchange's row, for the terminal: in the log as it happens, and in the list of traces. */
import type { Colors } from '../cli/colors.ts'
import { cutToWidth, displayWidth } from '../cli/diff/display-width.ts'
import { printable } from '../cli/printable.ts'
import { plural } from '../cli/table.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { formatCount, formatMs } from './quantities.ts'

export interface Cell {
  readonly text: string
  readonly paint: (text: string) => string
  readonly align?: 'right'
}

/** What fits most rows. In a log the widths must be known before the rows. */
const usualWidths: readonly number[] = [8, 4, 18, 24, 7, 7, 7, 12]

const columns: readonly (readonly [name: string, align?: 'right'])[] = [
  ['time'],
  ['code'],
  ['wire'],
  ['model'],
  ['first', 'right'],
  ['total', 'right'],
  ['own', 'right'],
  ['tokens', 'right'],
  ['tools'],
  ['losses'],
  ['notes'],
  ['id'],
]

const widestModel = 48
/** Enough to tell the exchanges of a trace from each other. */
const shownId = 12

export function exchangeCells(record: ExchangeRecord, colors: Colors): Cell[] {
  const plain = (text: string): string => text
  const ms = (value: number | undefined): string => (value === undefined ? '' : formatMs(value))
  const cells: Omit<Cell, 'align'>[] = [
    { text: timeOfDay(record.time), paint: colors.dim },
    statusCell(record, colors),
    { text: wireText(record), paint: plain },
    { text: modelText(record), paint: colors.cyan },
    { text: ms(record.first_byte_ms), paint: plain },
    { text: ms(record.total_ms), paint: colors.bold },
    { text: ms(record.overhead_ms), paint: colors.dim },
    { text: tokensText(record), paint: plain },
    { text: toolsText(record), paint: record.tool_failures > 0 ? colors.red : plain },
    { text: lossesText(record), paint: colors.yellow },
    { text: notesText(record), paint: isFailed(record) ? colors.red : colors.yellow },
    { text: printable(record.id.slice(0, shownId)), paint: colors.dim },
  ]
  return cells.map((cell, i) => {
    const align = columns[i]?.[1]
    return align === undefined ? cell : { ...cell, align }
  })
}

/** The names of the columns, as a row. */
export function headerCells(colors: Colors): Cell[] {
  return columns.map(([text, align]) => ({ text, paint: colors.dim, ...(align !== undefined && { align }) }))
}

/** One exchange on a line of its own, where the other rows are not known. */
export function exchangeRow(record: ExchangeRecord, colors: Colors): string {
  return `${layOut(exchangeCells(record, colors), usualWidths)}\n`
}

/** The names of those columns that are aligned there. */
export function headerRow(colors: Colors): string {
  return `${layOut(headerCells(colors).slice(0, usualWidths.length), usualWidths)}\n`
}

/** Cells of the given widths; those beyond the last width are only set apart. */
export function layOut(cells: readonly Cell[], widths: readonly number[]): string {
  const shown: string[] = []
  // What a cell takes beyond its width, the next ones with room to spare give back.
  let debt = 0
  for (const [i, { text, paint, align }] of cells.entries()) {
    const width = widths[i] ?? 0
    if (text === '' && width === 0) continue
    const spare = width - displayWidth(text)
    const paid = Math.min(debt, Math.max(0, spare))
    debt += Math.max(0, -spare) - paid
    const room = ' '.repeat(Math.max(0, spare - paid))
    const painted = text === '' ? '' : paint(text)
    shown.push(align === 'right' ? room + painted : painted + room)
  }
  return shown.join('  ').trimEnd()
}

export function isFailed({ status, failure, abandoned }: ExchangeRecord): boolean {
  if (status !== undefined && status >= 500) return true
  return failure !== undefined && !abandoned && (status === undefined || status < 400)
}

/** In the reader's own time zone, as terminals do. */
function timeOfDay(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : date.toTimeString().slice(0, 8)
}

function statusCell(record: ExchangeRecord, colors: Colors): Cell {
  const { status, abandoned } = record
  if (abandoned) return { text: 'gone', paint: colors.yellow }
  if (status === undefined) return { text: '…', paint: colors.dim }
  const paint = isFailed(record) ? colors.red : status >= 400 ? colors.yellow : colors.green
  return { text: String(status), paint }
}

/** A wire names its route; the route is written out where there is no wire. */
function wireText({ wire, upstream_wire, route }: ExchangeRecord): string {
  if (wire === undefined) return printable(route)
  return upstream_wire === undefined || upstream_wire === wire ? wire : `${wire} → ${upstream_wire}`
}

function modelText({ model, upstream_model }: ExchangeRecord): string {
  if (model === undefined) return ''
  const renamed = upstream_model === undefined || upstream_model === model ? '' : ` → ${upstream_model}`
  return cutToWidth(printable(model + renamed), widestModel)
}

function tokensText({ input_tokens, output_tokens }: ExchangeRecord): string {
  if (input_tokens === undefined || output_tokens === undefined) return ''
  return `${formatCount(input_tokens)} → ${formatCount(output_tokens)}`
}

function toolsText({ client_calls, tool_runs, tool_failures }: ExchangeRecord): string {
  const failed = tool_failures === 0 ? '' : ` (${tool_failures} failed)`
  return [
    ...(client_calls === 0 ? [] : [plural(client_calls, 'call')]),
    ...(tool_runs === 0 ? [] : [`${plural(tool_runs, 'run')}${failed}`]),
  ].join(', ')
}

function lossesText({ losses }: ExchangeRecord): string {
  return losses === 0 ? '' : `${losses} ${losses === 1 ? 'loss' : 'losses'}`
}

function notesText({ retries, failure, abandoned }: ExchangeRecord): string {
  return [
    ...(retries === 0 ? [] : [retries === 1 ? '1 retry' : `${retries} retries`]),
    ...(failure === undefined || abandoned ? [] : [printable(failure)]),
  ].join(', ')
}
