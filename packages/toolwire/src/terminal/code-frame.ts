/** The lines around a range of a text, with the range underlined. */
import type { Colors } from './colors.ts'
import { printable } from './printable.ts'

export interface Position {
  /** Both count from 1; columns count UTF-16 units, as editors and SARIF do. */
  readonly line: number
  readonly column: number
}

export interface Range {
  readonly offset: number
  readonly length: number
}

/** Turns offsets into lines and columns without reading the text again for each. */
export interface LineIndex {
  positionAt(offset: number): Position
  line(number: number): string
  readonly count: number
}

export function createLineIndex(text: string): LineIndex {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return {
    count: starts.length,
    positionAt(offset) {
      let low = 0
      let high = starts.length - 1
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if ((starts[middle] ?? 0) <= offset) low = middle
        else high = middle - 1
      }
      return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
    },
    line(number) {
      const end = starts[number]
      return text.slice(starts[number - 1], end === undefined ? text.length : end - 1).replace(/\r$/, '')
    },
  }
}

const widest = 100

export function codeFrame(
  lines: LineIndex,
  { offset, length }: Range,
  colors: Colors,
  columns: number = widest,
): string {
  const { line, column } = lines.positionAt(offset)
  const shown = [line - 1, line, line + 1].filter(number => number >= 1 && number <= lines.count)
  const gutter = String(shown.at(-1) ?? line).length
  const bar = colors.dim('│')
  const width = Math.max(40, Math.min(widest, columns - gutter - 7))
  // A minified document is one long line, so both sides of the range are cropped.
  const from = column <= width - 20 ? 0 : column - Math.floor(width / 3)
  const rows = shown
    .map(number => ({ number, text: lines.line(number) }))
    .filter(({ number, text }) => number === line || text.trim() !== '')
    .flatMap(({ number, text }) => {
      const visible = crop(text, from, width)
      const row = `${colors.dim(String(number).padStart(gutter))} ${bar} ${visible}`.trimEnd()
      if (number !== line) return [row]
      const before = crop(text.slice(0, column - 1), from, width).length
      const marked = crop(text.slice(0, column - 1 + length), from, width).length - before
      const carets = '^'.repeat(Math.max(1, Math.min(marked, width - before)))
      return [row, `${' '.repeat(gutter)} ${bar} ${' '.repeat(before)}${colors.bold(colors.red(carets))}`]
    })
  return rows.map(row => `  ${row}\n`).join('')
}

function crop(text: string, from: number, width: number): string {
  const piece = text.slice(from, from + width)
  const safe = printable(piece.replaceAll('\t', '  '))
  return `${from > 0 ? '…' : ''}${safe}${text.length > from + width ? '…' : ''}`
}
