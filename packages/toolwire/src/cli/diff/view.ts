/** The wires in columns, or one below the other where the terminal is too narrow for columns. */
import type { Colors } from '../../terminal/colors.ts'
import { cutToWidth, padToWidth } from '../../terminal/display-width.ts'
import type { Comparison, Line, WireColumn } from './column.ts'
import { columnOf, headingOf, letterOf, lossesOf } from './column.ts'

const leastColumnWidth = 40
/** A pipe has no width; this is that of a wide terminal. */
const pipeWidth = 160
const between = ' │ '

export function diffView(compared: Comparison, columns: number, full: boolean, colors: Colors): string {
  const { views } = compared
  const total = Number.isFinite(columns) ? columns : pipeWidth
  const aside = total >= leastColumnWidth * views.length
  const width = aside ? Math.floor((total - (views.length - 1) * between.length) / views.length) : total
  const sides = views.map(view => columnOf(view, compared, { width, full, colors }))
  const rows = aside ? sideBySide(sides, width, colors) : oneBelowTheOther(sides, width, colors)
  return [...rows, ...legend(compared, colors)].map(row => `${row}\n`).join('')
}

function sideBySide(sides: readonly WireColumn[], width: number, colors: Colors): string[] {
  const rule = colors.dim(sides.map(() => '─'.repeat(width)).join('─┼─'))
  const block = (part: (side: WireColumn) => readonly Line[]): string[] => {
    const parts = sides.map(part)
    const height = Math.max(...parts.map(({ length }) => length))
    return Array.from({ length: height }, (_, row) =>
      parts
        .map(lines => cell(lines[row], width))
        .join(colors.dim(between))
        .trimEnd(),
    )
  }
  return [
    ...block(({ title }) => [title]),
    rule,
    ...block(({ json }) => json),
    rule,
    ...block(({ losses }) => losses),
  ]
}

function cell(line: Line | undefined, width: number): string {
  if (line === undefined) return ' '.repeat(width)
  const text = cutToWidth(line.text, width)
  return line.paint(text) + padToWidth(text, width).slice(text.length)
}

function oneBelowTheOther(sides: readonly WireColumn[], width: number, colors: Colors): string[] {
  const rule = colors.dim('─'.repeat(width))
  const write = ({ text, paint }: Line): string => paint(cutToWidth(text, width)).trimEnd()
  return sides.flatMap(({ title, json, losses }, i) => [
    ...(i === 0 ? [] : ['']),
    write(title),
    rule,
    ...json.map(write),
    rule,
    ...losses.map(write),
  ])
}

function legend(compared: Comparison, colors: Colors): string[] {
  const lossy = compared.views.filter(({ diagnostics }) => lossesOf(diagnostics).length > 0)
  if (lossy.length === 0) return []
  const marks = lossy
    .filter(({ wire }) => wire !== compared.from)
    .map(view => `${letterOf(view, compared)}: lost on ${headingOf(view.wire)}. `)
  return ['', colors.dim(`${marks.join('')}Ask "toolwire explain <code>" about any of the losses.`)]
}
