/** One exchange as cells for a terminal, used by the pretty log and by the list of traces. */
import type { Colors } from '../terminal/colors.ts'
import { cutToWidth } from '../terminal/display-width.ts'
import { printable } from '../terminal/printable.ts'
import { plural } from '../terminal/table.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { formatCount, formatDollars, formatMs } from './quantities.ts'

export interface Cell {
  readonly text: string
  readonly paint: (text: string) => string
}

export type ColumnName =
  | 'time'
  | 'code'
  | 'wire'
  | 'model'
  | 'first'
  | 'total'
  | 'own'
  | 'tokens'
  | 'cost'
  | 'tools'
  | 'losses'
  | 'notes'
  | 'id'

export type Cells = { readonly [name in ColumnName]: Cell }

interface Outcome {
  readonly status?: number | undefined
  readonly failure?: unknown
  readonly abandoned?: boolean | undefined
}

const maxModelWidth = 48
/** Enough characters to distinguish the exchanges of a list. */
const idLength = 12

export function exchangeCells(record: ExchangeRecord, colors: Colors): Cells {
  const plain = (text: string): string => text
  const ms = (value: number | undefined): string => (value === undefined ? '' : formatMs(value))
  return {
    time: { text: timeOfDay(record.time), paint: colors.dim },
    code: statusCell(record, colors),
    wire: { text: wireText(record), paint: plain },
    model: { text: modelText(record), paint: colors.cyan },
    first: { text: ms(record.first_byte_ms), paint: plain },
    total: { text: ms(record.total_ms), paint: colors.bold },
    own: { text: ms(record.overhead_ms), paint: colors.dim },
    tokens: { text: tokensText(record), paint: plain },
    cost: { text: record.cost_usd === undefined ? '' : formatDollars(record.cost_usd), paint: colors.green },
    tools: { text: toolsText(record), paint: record.tool_failures > 0 ? colors.red : plain },
    losses: { text: lossesText(record), paint: colors.yellow },
    notes: { text: notesText(record), paint: isFailed(record) ? colors.red : colors.yellow },
    id: { text: printable(record.id.slice(0, idLength)), paint: colors.dim },
  }
}

/** Works for the facts of a running exchange and for its record. */
export function isFailed({ status, failure, abandoned }: Outcome): boolean {
  if (status !== undefined && status >= 500) return true
  return failure !== undefined && !abandoned && (status === undefined || status < 400)
}

/** In the local time zone. */
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

/** The wire identifies the route. Without a wire, the route or the requested target is shown. */
function wireText({ wire, upstream_wire, route, target }: ExchangeRecord): string {
  if (wire === undefined) return printable(target ?? route)
  return upstream_wire === undefined || upstream_wire === wire ? wire : `${wire} → ${upstream_wire}`
}

function modelText({ model, upstream_model }: ExchangeRecord): string {
  if (model === undefined) return ''
  const renamed = upstream_model === undefined || upstream_model === model ? '' : ` → ${upstream_model}`
  return cutToWidth(printable(model + renamed), maxModelWidth)
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

function notesText({ retries, failed_upstreams: failed, failure, abandoned }: ExchangeRecord): string {
  return [
    ...(failed === undefined ? [] : [`after ${printable(failed)}`]),
    ...(retries === 0 ? [] : [retries === 1 ? '1 retry' : `${retries} retries`]),
    ...(failure === undefined || abandoned ? [] : [printable(failure)]),
  ].join(', ')
}
