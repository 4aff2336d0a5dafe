/** What the user should know about how the files were taken. */
import { printable } from '../../terminal/printable.ts'
import type { DocumentReport } from './lint-document.ts'

export function notesOn(reports: readonly DocumentReport[]): string[] {
  const guessed = reports.filter(({ wireBy, note }) => wireBy !== 'stated' && note === undefined)
  const [first, ...others] = guessed
  const alike = others.every(({ wire, wireBy }) => wire === first?.wire && wireBy === first.wireBy)
  const single = reports.length === 1
  const empty = reports.flatMap(({ name, note = '' }) =>
    note === '' ? [] : [single ? note : `${printable(name)}: ${note}`],
  )
  if (first === undefined) return empty
  if (alike) return [...empty, `${sayWire(first)}; name another with --from.`]
  const each = guessed.map(report => `${printable(report.name)}: ${sayWire(report)}.`)
  return [...empty, ...each, 'Name another wire with --from.']
}

function sayWire({ wire, wireBy }: DocumentReport): string {
  return wireBy === 'shown' ? `Read as ${wire}` : `Nothing shows the wire, so it is read as ${wire}`
}
