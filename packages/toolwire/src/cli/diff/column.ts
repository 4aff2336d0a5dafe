/** One wire's part of the view: its title, its JSON with marks where something is lost, its losses. */
import type { Diagnostic, Severity } from '@toolwire/core'
import { closingQuote } from '@toolwire/core/json'
import type { ToolSource } from '../../config/wires.ts'
import { type Colors, paintSeverity } from '../../terminal/colors.ts'
import { cutToWidth, splitToWidth } from '../../terminal/display-width.ts'
import { formatPath } from '../../terminal/format-path.ts'
import { plural } from '../../terminal/table.ts'
import { type JsonLine, jsonLines } from './json-lines.ts'

export interface WireView {
  readonly wire: ToolSource
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
}

export interface Comparison {
  readonly kind: 'tools' | 'request' | 'answer'
  /** The wire of the document. */
  readonly from: ToolSource
  /** The document itself under its own wire, and its conversions under the others. */
  readonly views: readonly WireView[]
}

/** A line of plain text, which is measured and padded before it is painted. */
export interface Line {
  readonly text: string
  readonly paint: (text: string) => string
}

export interface WireColumn {
  readonly title: Line
  readonly json: readonly Line[]
  readonly losses: readonly Line[]
}

export interface ColumnOptions {
  readonly width: number
  readonly full: boolean
  readonly colors: Colors
}

const mostLines = 60
const mostPaths = 12

export function columnOf(view: WireView, compared: Comparison, options: ColumnOptions): WireColumn {
  const { colors } = options
  const { wire, value, diagnostics } = view
  const { from, kind, views } = compared
  const isSource = wire === from
  const others = isSource ? views.filter(other => other !== view) : []
  const marked = others.filter(other => lossesOf(other.diagnostics).length > 0)
  return {
    title: {
      text: `${headingOf(wire)}${isSource ? ' · source' : ''}`,
      paint: text => colors.bold(isSource ? colors.magenta(text) : text),
    },
    json: jsonPart(
      value,
      marked.map(other => ({ letter: letterOf(other, compared), losses: lossesOf(other.diagnostics) })),
      options,
    ),
    losses: lossLines(
      diagnostics,
      kind === 'tools' && Array.isArray(value) ? 'tools' : '',
      isSource,
      options,
    ),
  }
}

export function headingOf({ name }: ToolSource): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

export function lossesOf(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity !== 'info')
}

/** The first letter of its name that no wire before it has. */
export function letterOf(view: WireView, { views }: Comparison): string {
  const taken = new Set<string>()
  for (const other of views) {
    const letters = other.wire.name.toUpperCase()
    const letter = [...letters, '*'].find(each => /[A-Z*]/.test(each) && !taken.has(each)) ?? '*'
    if (other === view) return letter
    taken.add(letter)
  }
  return '*'
}

interface Marker {
  readonly letter: string
  readonly losses: readonly Diagnostic[]
}

/** Each marker has its own column before the JSON. */
function jsonPart(
  value: unknown,
  markers: readonly Marker[],
  { width, full, colors }: ColumnOptions,
): Line[] {
  const gutter = markers.length === 0 ? 0 : markers.length + 1
  const all = jsonLines(value, width - gutter, full)
  const hidden = full || all.length <= mostLines ? 0 : all.length - (mostLines - 1)
  const shown = all.slice(0, all.length - hidden)
  const marks = markers.map(({ losses }) => markLines(all, losses, shown.length))
  const lines = shown.map(({ text }) => ({ text, paint: (piece: string) => paintKeys(piece, colors) }))
  const more = { text: `… ${plural(hidden, 'more line')} (--full)`, paint: colors.dim }
  return [...lines, ...(hidden > 0 ? [more] : [])].map((line, i) => {
    const severities = marks.map(found => found.get(i))
    const letters = markers.map(({ letter }, m) => (severities[m] === undefined ? ' ' : letter)).join('')
    const painted = markers.map(({ letter }, m) => paintMark(severities[m], letter, colors)).join('')
    return gutter === 0
      ? line
      : { text: `${letters} ${line.text}`, paint: text => `${painted} ${line.paint(text.slice(gutter))}` }
  })
}

function paintMark(severity: Severity | undefined, letter: string, colors: Colors): string {
  return severity === undefined ? ' ' : paintSeverity(severity, letter, colors)
}

/** The line of each loss: that of its path, or of the nearest parent that has a line. */
function markLines(
  lines: readonly JsonLine[],
  losses: readonly Diagnostic[],
  last: number,
): ReadonlyMap<number, Severity> {
  const index = new Map<string, number>()
  lines.forEach(({ path }, i) => {
    const key = JSON.stringify(path)
    if (!index.has(key)) index.set(key, i)
  })
  const marks = new Map<number, Severity>()
  for (const { path, severity } of losses) {
    let length = path.length
    while (length > 0 && !index.has(JSON.stringify(path.slice(0, length)))) length--
    const line = Math.min(index.get(JSON.stringify(path.slice(0, length))) ?? 0, last)
    if (marks.get(line) !== 'error') marks.set(line, severity)
  }
  return marks
}

function paintKeys(text: string, colors: Colors): string {
  let painted = ''
  let done = 0
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', done)) {
    const end = closingQuote(text, start + 1)
    if (end === -1) break
    const token = text.slice(start, end + 1)
    painted += text.slice(done, start) + (text[end + 1] === ':' ? colors.cyan(token) : token)
    done = end + 1
  }
  return painted + text.slice(done)
}

function lossLines(
  diagnostics: readonly Diagnostic[],
  root: string,
  isSource: boolean,
  { width, full, colors }: ColumnOptions,
): Line[] {
  const losses = lossesOf(diagnostics)
  const notes = diagnostics.length - losses.length
  const count = notes === 0 ? [] : [{ text: plural(notes, 'note'), paint: colors.dim }]
  if (losses.length === 0) {
    const well = isSource
      ? { text: 'as given', paint: colors.dim }
      : { text: 'nothing lost', paint: colors.green }
    return [well, ...count]
  }
  const fit = (text: string): string[] => (full ? splitToWidth(text, width) : [cutToWidth(text, width)])
  const shown = full || losses.length <= mostPaths ? losses : losses.slice(0, mostPaths - 1)
  const codes = [...new Set(shown.map(({ code }) => code))]
  const lines = codes.flatMap((code): Line[] => {
    const group = shown.filter(loss => loss.code === code)
    const severity = group[0]?.severity ?? 'warning'
    const total = losses.filter(loss => loss.code === code).length
    const head = `${severity === 'error' ? '✗' : '!'} ${code}${total > 1 ? ` ×${total}` : ''}`
    return [
      ...fit(head).map(text => ({ text, paint: (piece: string) => paintSeverity(severity, piece, colors) })),
      ...group
        .flatMap(({ path }) => fit(`  ${formatPath(path, root)}`))
        .map(text => ({ text, paint: colors.dim })),
    ]
  })
  const hidden = losses.length - shown.length
  const more = hidden === 0 ? [] : [{ text: `… ${hidden} more (--full)`, paint: colors.dim }]
  return [...lines, ...more, ...count]
}
