/** Sums written out in a message, and the parameters that take them. */
import type { Slot } from './slots.ts'
import { meaningOf } from './words.ts'

const formulaWords: ReadonlySet<string> = new Set(
  ['expression', 'expr', 'formula', 'equation', 'calculation'].map(meaningOf),
)

export function takesFormula({ kind, meanings }: Slot): boolean {
  return kind === 'text' && [...meanings].some(word => formulaWords.has(word))
}

/** The first stretch of digits and operators: `2 + 3 * (4 - 1)`. */
export function formulaIn(text: string): string | undefined {
  const stretches = text.match(/[-+(]?[\d.(][\d\s.+\-*/^%()]{1,200}[\d)]/g) ?? []
  return stretches.find(one => /\d\s*[-+*/^%]\s*\(*\d/.test(one))?.trim()
}
