/** Diagnostics as an aligned table. The message is the last column and wraps inside it. */
import type { Diagnostic, Severity } from '@toolwire/core'
import { type Colors, paintSeverity, severityName } from './colors.ts'
import { formatPath } from './format-path.ts'
import { type Output, widthOf } from './io.ts'
import { printable } from './printable.ts'

const gap = '  '
const leastMessage = 32

export function diagnosticsTable(
  diagnostics: readonly Diagnostic[],
  output: Output,
  colors: Colors,
  root = '',
): string {
  const rows = diagnostics.map(({ severity, code, path, message }) => ({
    severity,
    cells: [severityName(severity), code, formatPath(path, root)],
    message: printable(message),
  }))
  const widths = [0, 1, 2].map(i =>
    rows.reduce((most, { cells }) => Math.max(most, cells[i]?.length ?? 0), 0),
  )
  const used = widths.reduce((sum, width) => sum + width + gap.length, gap.length)
  const columns = widthOf(output)
  // On a narrow terminal the message goes below its row instead of into a column too thin to read.
  const below = columns - used < leastMessage
  const indent = below ? gap.repeat(3) : ' '.repeat(used)
  return rows
    .map(({ severity, cells, message }) => {
      const padded = cells.map((cell, i) => cell.padEnd(widths[i] ?? 0))
      const head = gap + paintCells(severity, padded, colors).join(gap)
      const lines = wrap(message, columns - indent.length)
      return below
        ? `${head.trimEnd()}\n${lines.map(line => indent + line).join('\n')}\n`
        : `${head}${gap}${lines.join(`\n${indent}`)}\n`
    })
    .join('')
}

function paintCells(
  severity: Severity,
  [first = '', code = '', path = '']: string[],
  colors: Colors,
): string[] {
  return [paintSeverity(severity, first, colors), code, colors.dim(path)]
}

/** Breaks at spaces; a word longer than the line is not broken. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** `2 errors, 1 warning, 3 notes`; empty when there is nothing to count. */
export function countSeverities(diagnostics: readonly { readonly severity: Severity }[]): string {
  return (['error', 'warning', 'info'] as const)
    .map(severity => ({
      name: severityName(severity),
      count: diagnostics.filter(item => item.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => plural(count, name))
    .join(', ')
}

export function plural(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
