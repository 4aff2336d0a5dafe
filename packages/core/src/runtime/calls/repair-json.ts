/**
 * Repairs slips that models make when they write JSON, but only those whose meaning is certain. It never adds a
 * quote, a bracket or a value, so text that was cut off stays invalid (decision 14).
 */

import { isSpace, skipSpace } from '../../json/text.ts'

const fenceOpening = /^```[\w-]*/
const pythonWords: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])
const wordPattern = /[A-Za-z_][\w]*/y
const controlEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** Handles a code fence around the text, trailing commas, raw control characters in strings, and Python's literals. */
export function repairJson(text: string): string {
  const source = withoutFence(text.trim())
  const out: string[] = []
  let copied = 0
  const replace = (from: number, to: number, by: string): void => {
    out.push(source.slice(copied, from), by)
    copied = to
  }
  let at = 0
  let last = ''
  while (at < source.length) {
    const here = source.charAt(at)
    if (here === '"') {
      at = escapeControls(source, at, replace)
    } else if (here === ',') {
      const next = skipSpace(source, at + 1)
      const closes = source[next] === '}' || source[next] === ']'
      // Directly after `{`, `[`, `,` or `:` a value is missing; there the comma is not the mistake.
      if (closes && !'{[,:'.includes(last)) replace(at, at + 1, '')
      at = next
    } else if (isLetter(here)) {
      wordPattern.lastIndex = at
      const [word = here] = wordPattern.exec(source) ?? []
      const json = pythonWords.get(word)
      if (json !== undefined) replace(at, at + word.length, json)
      at += word.length
    } else at++
    if (!isSpace(here.charCodeAt(0))) last = here
  }
  out.push(source.slice(copied))
  return out.join('')
}

function withoutFence(text: string): string {
  const [opening] = fenceOpening.exec(text) ?? []
  const closes = opening !== undefined && text.length >= opening.length + 3 && text.endsWith('```')
  return closes ? text.slice(opening.length, -3).trim() : text
}

/** Escapes the raw control characters of the string that starts here, and returns the position after it. */
function escapeControls(
  source: string,
  start: number,
  replace: (from: number, to: number, by: string) => void,
): number {
  let at = start + 1
  while (at < source.length) {
    const here = source.charAt(at)
    if (here === '"') return at + 1
    if (here < ' ') {
      const code = here.charCodeAt(0).toString(16).padStart(4, '0')
      replace(at, at + 1, controlEscapes.get(here) ?? `\\u${code}`)
    }
    at += here === '\\' ? 2 : 1
  }
  return at
}

function isLetter(character: string): boolean {
  return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z') || character === '_'
}
