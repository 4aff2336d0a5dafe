/** A count as a table with bars: what costs how much, then the sums and how far to trust them. */
import type { Price } from '@toolwire/core/presets'
import type { TokenCount, TokenPart } from '@toolwire/core/tokens'
import { formatDollars } from '../../telemetry/quantities.ts'
import type { Colors } from '../../terminal/colors.ts'
import { cutToWidth } from '../../terminal/display-width.ts'
import { formatPath } from '../../terminal/format-path.ts'
import { printable } from '../../terminal/printable.ts'
import { plural, wrap } from '../../terminal/table.ts'

export interface TokensToShow {
  readonly count: TokenCount
  /** The name of the wire. */
  readonly wire: string
  readonly model: string | undefined
  /** How many rows. */
  readonly top: number
  /** Printed before a path that begins with an index. */
  readonly root: string
  /** In US dollars, as input, and the price it was computed from. */
  readonly cost: number | undefined
  readonly price: Price | undefined
}

export interface Screen {
  readonly columns: number
  readonly unicode: boolean
  readonly colors: Colors
}

const mostBar = 24
const leastBar = 8
const mostUncounted = 5
/** A pipe has no width; this is that of a usual terminal. */
const pipeWidth = 100

const groups: readonly (readonly [name: string, kinds: readonly TokenPart['kind'][]])[] = [
  ['tools', ['tool']],
  ['conversation', ['message', 'item', 'instructions']],
  ['around them', ['overhead']],
]

export function tokensView(shown: TokensToShow, screen: Screen): string {
  const { count, wire, model } = shown
  const { colors } = screen
  const forModel = model === undefined ? '' : ` for ${printable(model)}`
  const about = count.errorBound.kind === 'exact' ? '' : 'about '
  const costs = shown.cost === undefined ? '' : `, ${formatDollars(shown.cost)} as input`
  const head = `${colors.bold(`${about}${figure(count.total)} tokens${costs}`)} ${colors.dim(`on ${wire}${forModel}`)}`
  return [head, '', ...rows(shown, screen), ...sums(count, colors), '', ...trust(shown, screen)]
    .map(line => `${line.trimEnd()}\n`)
    .join('')
}

function rows({ count, top, root }: TokensToShow, { columns, unicode, colors }: Screen): string[] {
  const { parts, total } = count
  const visible = parts.slice(0, top)
  const largest = parts.reduce((most, { tokens }) => Math.max(most, tokens), 1)
  const width = Math.max(6, figure(largest).length)
  const room = Number.isFinite(columns) ? columns : pipeWidth
  const bar = Math.max(leastBar, Math.min(mostBar, Math.floor(room / 4)))
  const textWidth = Math.max(16, room - width - bar - 13)
  const lines = visible.map(part => {
    const share = total === 0 ? 0 : (part.tokens / total) * 100
    const drawn = barOf(part.tokens / largest, bar, unicode)
    const name = nameOf(part, root, textWidth, colors)
    return `${figure(part.tokens).padStart(width)} ${percent(share)}  ${paint(part.kind, drawn, colors)}  ${name}`
  })
  const rest = parts.slice(top)
  if (rest.length === 0) return [...lines, '']
  const left = rest.reduce((sum, { tokens }) => sum + tokens, 0)
  const share = total === 0 ? 0 : (left / total) * 100
  const more = `${rest.length} more; --top 0 shows all`
  return [
    ...lines,
    colors.dim(`${figure(left).padStart(width)} ${percent(share)}  ${' '.repeat(bar)}  ${more}`),
    '',
  ]
}

/** The label, and after it as much of the path as there is room for. */
function nameOf({ label, path, kind }: TokenPart, root: string, width: number, colors: Colors): string {
  const said = cutToWidth(printable(label), width)
  const painted = kind === 'overhead' ? colors.dim(said) : said
  const room = width - said.length - 2
  if (path.length === 0 || room < 8) return painted
  return `${painted}  ${colors.dim(cutToWidth(formatPath(path, root), room))}`
}

function paint(kind: TokenPart['kind'], text: string, colors: Colors): string {
  if (kind === 'overhead') return colors.dim(text)
  return kind === 'tool' ? colors.cyan(text) : colors.green(text)
}

function sums({ parts, total }: TokenCount, colors: Colors): string[] {
  const said = groups.flatMap(([name, kinds]) => {
    const of = parts.filter(({ kind }) => kinds.includes(kind))
    const tokens = of.reduce((sum, part) => sum + part.tokens, 0)
    if (of.length === 0) return []
    const share = total === 0 ? '' : ` (${percent((tokens / total) * 100).trim()})`
    const painted = paint(of[0]?.kind ?? 'overhead', `${name} ${figure(tokens)}`, colors)
    return [`${painted}${share}`]
  })
  return said.length === 0 ? [] : [said.join(', ')]
}

function trust({ count, root, price }: TokensToShow, { columns, colors }: Screen): string[] {
  const { method, errorBound, uncounted } = count
  const bound = errorBound.percent === undefined ? '' : `Texts within ${errorBound.percent} %. `
  const paid = price === undefined ? [] : [`Price: $${price.input} for a million (${sourceOf(price)}).`]
  const said = [`Method: ${method}.`, `${bound}${errorBound.note}`, ...paid].flatMap(text =>
    wrap(text, columns),
  )
  const listed = uncounted.slice(0, mostUncounted).map(({ path, what }) => {
    const where = path.length === 0 ? '' : `${formatPath(path, root)}: `
    return `  ${where}${printable(what)}`
  })
  const more = uncounted.length - listed.length
  if (more > 0) listed.push(`  ${plural(more, 'other')}, which --json lists`)
  if (listed.length > 0) listed.unshift('Not counted, or counted by an assumption:')
  return [...said, ...listed].map(line => colors.dim(line))
}

function sourceOf({ source, date }: Price): string {
  return printable(date === '' ? source : `${source}, ${date}`)
}

function figure(value: number): string {
  return value.toLocaleString('en-US')
}

function percent(value: number): string {
  return `${value.toFixed(1).padStart(5)}%`
}

/** Eighths of a column, from one to seven. */
const eighths = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of `share` of `width` columns, padded to all of them. A share above zero is always visible. */
export function barOf(share: number, width: number, unicode: boolean): string {
  if (!(share > 0)) return ' '.repeat(width)
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(share * width))).padEnd(width)
  const parts = Math.max(1, Math.round(Math.min(1, share) * width * 8))
  return `${'█'.repeat(Math.floor(parts / 8))}${eighths[(parts % 8) - 1] ?? ''}`.padEnd(width)
}

/** The largest first, equals in the order of the request; or that order itself. */
export function sortParts(parts: readonly TokenPart[], by: string): TokenPart[] {
  return by === 'order' ? [...parts] : parts.toSorted((a, b) => b.tokens - a.tokens)
}
