/**
 * Flaws that only the text of a JSON document shows: numbers that parsing changes, and keys that occur twice, of which the
 * first value is lost. Found in one pass over the text.
 */
import type { Diagnostic, Path } from '@toolwire/core'
import { severities } from '@toolwire/core/diagnostics'
import { visit } from 'jsonc-parser'
import type { Range } from './code-frame.ts'
import { isExact } from './exact-number.ts'

export interface Flaw extends Diagnostic {
  readonly code: 'number_imprecise' | 'duplicate_key'
  readonly remedy: string
  readonly range: Range
}

/** The text must be JSON. */
export function findFlaws(text: string): Flaw[] {
  const flaws: Flaw[] = []
  const add = (code: Flaw['code'], path: Path, message: string, remedy: string, range: Range): void => {
    flaws.push({ code, severity: severities[code], path: [...path], message, remedy, range })
  }
  const keys: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => {
      keys.push(new Set())
    },
    onObjectEnd: () => {
      keys.pop()
    },
    onObjectProperty(key, offset, length, _line, _column, holder) {
      const seen = keys.at(-1)
      if (seen?.has(key)) {
        const message = `The key ${JSON.stringify(shorten(key))} stands here a second time; the first value is lost.`
        const range = { offset, length }
        add('duplicate_key', [...holder(), key], message, 'Remove or rename one of the two.', range)
      }
      seen?.add(key)
    },
    onLiteralValue(value: unknown, offset, length, _line, _column, path) {
      if (typeof value !== 'number') return
      const literal = text.slice(offset, offset + length)
      if (isExact(literal)) return
      const read = Number.isFinite(value) ? String(value) : 'null'
      const message = `The number ${shorten(literal)} cannot be kept; it is read as ${read}.`
      add('number_imprecise', path(), message, 'Use a number that fits, or a string.', { offset, length })
    },
  })
  return flaws
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
