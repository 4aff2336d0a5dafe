/** Usage and prices as tables. */
import type { Price } from '@toolwire/core/presets'
import { sumRows, type UsageRow } from '../../platform/usage-row.ts'
import { formatDollars } from '../../telemetry/quantities.ts'
import type { Colors } from '../../terminal/colors.ts'
import { cutToWidth, displayWidth, padToWidth } from '../../terminal/display-width.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'

/** A row with the price that its cost was computed from, where there is one. */
export interface PricedRow extends UsageRow {
  readonly price: Pick<Price, 'model' | 'source' | 'date'> | undefined
}

/** Rows that were added up. */
export interface UsageSum extends PricedRow {
  /** Requests that were answered without a word about tokens. There may be more where some have a price. */
  readonly unreported: number
}

export interface UsageView {
  readonly by: 'model' | 'client' | 'key'
  readonly rows: readonly UsageSum[]
  readonly source: string
  readonly since: string | undefined
}

const names = { model: 'model', client: 'client', key: 'owner' } as const
const widestName = 40
const keyLength = 12

export function usageTable({ by, rows, source, since }: UsageView, colors: Colors, width: number): string {
  const from = `${since === undefined ? 'from the beginning' : `since ${since}`}, from ${source}`
  if (rows.length === 0) return `Nothing was used yet (${from}).\n`
  const totals = sumRows(rows, []).map(sum => ({ ...sum, price: undefined, [names[by]]: 'total' }))
  const shown = rows.length > 1 ? [...rows, ...totals] : rows
  const cells = [
    [by, 'requests', 'failed', 'in', 'cached', 'out', 'cost'],
    ...shown.map(row => [
      nameOf(row, by),
      String(row.requests),
      row.failures === 0 ? '' : String(row.failures),
      figure(row.input),
      row.cacheRead === 0 ? '' : figure(row.cacheRead),
      figure(row.output),
      costText(row),
    ]),
  ]
  const lines = layOut(cells, width).map((line, i) => {
    if (i === 0) return colors.dim(line)
    return rows.length > 1 && i === cells.length - 1 ? colors.bold(line) : line
  })
  return `${lines.join('\n')}\n\n${colors.dim(from)}\n${notes(rows, by, colors)}${unreportedNote(rows, colors)}`
}

function nameOf(row: PricedRow, by: UsageView['by']): string {
  const name = row[names[by]]
  if (name === '') return '(unnamed)'
  const isHash = by === 'key' && /^[0-9a-f]{32,}$/.test(name)
  return cutToWidth(printable(isHash ? name.slice(0, keyLength) : name), widestName)
}

/** Blank where no price is known; at least so much where only some are. */
function costText({ cost, unpriced, input, output }: PricedRow): string {
  if (cost === 0 && (unpriced > 0 || input + output === 0)) return ''
  return `${unpriced > 0 ? '≥ ' : ''}${formatDollars(cost / 1e6)}`
}

function unreportedNote(rows: readonly UsageSum[], colors: Colors): string {
  const count = rows.reduce((sum, { unreported }) => sum + unreported, 0)
  if (count === 0) return ''
  const least = rows.some(({ cost }) => cost > 0) ? 'At least ' : ''
  const remedy = 'A Chat stream reports them with "stream_options": { "include_usage": true }.'
  return `${colors.dim(`${least}${plural(count, 'request')} reported no tokens. ${remedy}`)}\n`
}

/** Whose prices were used, and for what there is none. */
function notes(rows: readonly PricedRow[], by: UsageView['by'], colors: Colors): string {
  if (by !== 'model') return ''
  const sources = rows.flatMap(({ model, price }) =>
    price === undefined
      ? []
      : [
          `${printable(model)}: price from ${printable(price.source)}${price.date === '' ? '' : `, ${printable(price.date)}`}`,
        ],
  )
  const unknown = rows.filter(({ unpriced }) => unpriced > 0).map(({ model }) => printable(model))
  const blank =
    unknown.length === 0
      ? []
      : [
          `No price is known of ${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ', …' : ''}; "prices" in the configuration takes yours.`,
        ]
  return [...sources, ...blank].map(line => `${colors.dim(line)}\n`).join('')
}

/** Figures to the right, and texts, in the first column and from `texts` on, to the left. */
function layOut(
  cells: readonly (readonly string[])[],
  width: number,
  texts = Number.POSITIVE_INFINITY,
): string[] {
  const widths = (cells[0] ?? []).map((_, i) => Math.max(...cells.map(row => displayWidth(row[i] ?? ''))))
  return cells.map(row =>
    cutToWidth(
      row
        .map((cell, i) => {
          const room = widths[i] ?? 0
          return i === 0 || i >= texts
            ? padToWidth(cell, room)
            : ' '.repeat(Math.max(0, room - displayWidth(cell))) + cell
        })
        .join('  ')
        .trimEnd(),
      width,
    ),
  )
}

function figure(count: number): string {
  return new Intl.NumberFormat('en').format(count).replaceAll(',', ' ')
}

export function priceTable(prices: readonly Price[], colors: Colors, width: number): string {
  const cells = [
    ['model', 'in', 'cached', 'out', 'source'],
    ...prices.map(({ model, host, input, cacheRead, output, source, date }) => [
      printable(host === undefined ? model : `${model} at ${host}`),
      dollars(input),
      cacheRead === undefined ? '' : dollars(cacheRead),
      dollars(output),
      printable(date === '' ? source : `${source}, ${date}`),
    ]),
  ]
  const [head = '', ...lines] = layOut(cells, width, 4)
  return `${colors.dim(head)}\n${lines.join('\n')}\n\n${colors.dim('US dollars for a million tokens. "prices" in the configuration comes first.')}\n`
}

function dollars(amount: number): string {
  return `$${amount}`
}
