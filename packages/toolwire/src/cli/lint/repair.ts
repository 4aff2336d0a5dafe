/** Repairs a document in rounds, and remembers what was done. */
import { type JsonDocument, parseDocument } from '../../terminal/json-document.ts'
import { applyFixes } from './apply-fixes.ts'
import { type DocumentReport, type LintSettings, lintDocument } from './lint-document.ts'

/** A repair may uncover another; no real document needs more rounds than this. */
const maxRounds = 10

export interface Repair {
  readonly title: string
  readonly code: string
  /** Where it was found, in the text as it was at that moment. */
  readonly line: number
}

export interface Repaired {
  readonly report: DocumentReport
  readonly repairs: readonly Repair[]
}

export function repairDocument(name: string, document: JsonDocument, settings: LintSettings): Repaired {
  let report = lintDocument(name, document, settings)
  const repairs: Repair[] = []
  for (let round = 0; round < maxRounds; round++) {
    const fixable = report.findings.flatMap(({ fix, code, start }) => (fix ? [{ fix, code, start }] : []))
    const { text, applied } = applyFixes(
      report.document,
      fixable.map(({ fix }) => fix),
    )
    if (applied.length === 0) break
    for (const index of applied) {
      const done = fixable[index]
      if (done !== undefined) repairs.push({ title: done.fix.title, code: done.code, line: done.start.line })
    }
    report = lintDocument(name, parseDocument(text), settings)
  }
  return { report, repairs }
}
