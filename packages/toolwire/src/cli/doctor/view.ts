/** Findings as a table, each remedy below its finding. */
import type { Colors } from '../../terminal/colors.ts'
import { type Output, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { plural, wrap } from '../../terminal/table.ts'
import type { Check } from './check.ts'

const marks = { ok: '✓', warning: '!', problem: '✗' } as const

export function checksView(checks: readonly Check[], output: Output, colors: Colors): string {
  const nameWidth = Math.max(...checks.map(({ name }) => printable(name).length))
  const indent = ' '.repeat(nameWidth + 6)
  const width = Math.max(40, widthOf(output) - indent.length)
  const rows = checks.map(({ name, status, message, remedy }) => {
    const lines = wrap(printable(message), width)
    const advice = remedy === undefined ? [] : wrap(printable(remedy), width).map(line => colors.dim(line))
    const mark = paint(status, marks[status], colors)
    return `  ${mark} ${printable(name).padEnd(nameWidth)}  ${[...lines, ...advice].join(`\n${indent}`)}\n`
  })
  return `${rows.join('')}\n${summary(checks, colors)}\n`
}

function paint(status: Check['status'], text: string, colors: Colors): string {
  if (status === 'problem') return colors.red(text)
  return status === 'warning' ? colors.yellow(text) : colors.green(text)
}

function summary(checks: readonly Check[], colors: Colors): string {
  const count = (status: Check['status']): number => checks.filter(check => check.status === status).length
  const problems = count('problem')
  const warnings = count('warning')
  if (problems + warnings === 0) return colors.green('All is well.')
  const parts = [
    ...(problems > 0 ? [colors.red(plural(problems, 'problem'))] : []),
    ...(warnings > 0 ? [colors.yellow(plural(warnings, 'warning'))] : []),
  ]
  return `${parts.join(', ')}.`
}
