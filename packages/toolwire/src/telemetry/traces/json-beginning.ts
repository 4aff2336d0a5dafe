/** The value of a JSON text of which only the beginning was kept: what was open is closed where the text ends. */
import { closingQuote, measureJson, parseJson } from '@toolwire/core/json'

export function parseBeginning(text: string): unknown {
  return readBeginning(text).value
}

/** `mostNodes`: of a text with more values only the beginning is read, because values are what takes time. */
export function readBeginning(
  text: string,
  mostNodes: number = Number.POSITIVE_INFINITY,
): { readonly value: unknown; readonly isWhole: boolean } {
  const { excess } = measureJson(text, Number.POSITIVE_INFINITY, mostNodes)
  const whole = excess === undefined ? parseJson(text) : undefined
  if (whole !== undefined) return { value: whole, isWhole: true }
  return { value: parseJson(closed(text.slice(0, excess?.at))), isWhole: false }
}

const quote = 0x22
const comma = 0x2c

/** Cuts back to the last complete value and closes every list and object around it. */
function closed(text: string): string {
  const open: string[] = []
  /** Up to here the text is well formed, once what is open is closed. */
  let good = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = closingQuote(text, at + 1)
      if (at === -1) break
    } else if (code === comma) good = at
    else if (code === 0x7b || code === 0x5b) {
      open.push(code === 0x7b ? '}' : ']')
      good = at + 1
    } else if (code === 0x7d || code === 0x5d) {
      open.pop()
      good = at + 1
    }
  }
  return text.slice(0, good) + open.reverse().join('')
}
