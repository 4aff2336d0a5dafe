/** What a comparison of two builds has found, as a page of Markdown. */
import { machineText, table } from '../lib/report.mjs'

const number = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : '–')

function rowsText(rows) {
  const cells = rows.map(({ from, to, oldUs, newUs, ratio, pairs, slower, faults }) => [
    `${from} → ${to}`,
    number(oldUs, 2),
    number(newUs, 2),
    number(ratio.median, 3),
    `${number(ratio.min, 2)}–${number(ratio.max, 2)}`,
    pairs.length,
    [...(slower ? ['slower than 5 %'] : []), ...faults].map(text => `**${text}**`).join(', '),
  ])
  return table(['', 'old, CPU µs', 'new, CPU µs', 'new/old', 'min–max', 'pairs', 'verdict'], cells)
}

/** One line that says how it went. */
export function baselineSummary(rows) {
  const medians = rows.map(({ ratio }) => ratio.median)
  const slower = rows.filter(row => row.slower).length
  const faulty = rows.filter(({ faults }) => faults.length > 0).length
  return `${slower} of ${rows.length} rows are slower than 5 %, ${faulty} have faults; the ratios go from ${number(Math.min(...medians), 3)} to ${number(Math.max(...medians), 3)}`
}

/** @param {{ facts: Record<string, any>, rows: any[] }} run */
export function baselineText({ facts, rows }) {
  const titles = [...new Set(rows.map(({ part, group }) => `${part}: ${group}`))]
  const groups = titles.map(
    title => `## ${title}\n\n${rowsText(rows.filter(({ part, group }) => `${part}: ${group}` === title))}`,
  )
  return [
    '# Two builds compared\n',
    `Written by \`node bench/run.mjs --baseline\`. "Old" is commit ${facts.baseline}, "new" is ${facts.commit}. New/old is the median over the pairs.\n`,
    machineText(facts),
    `${baselineSummary(rows)}.\n`,
    ...groups,
  ].join('\n')
}
