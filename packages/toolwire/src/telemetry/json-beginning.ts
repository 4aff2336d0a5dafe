/** The value of a JSON text of which only the beginning was kept: what was open is closed where the text ends. */
import { parseJson } from '@toolwire/core/json'

export function parseBeginning(text: string): unknown {
  const whole = parseJson(text)
  if (whole !== undefined) return whole
  return parseJson(closed(text))
}

/** Cuts back to the last complete value and closes every list and object around it. */
function closed(text: string): string {
  const open: string[] = []
  let inString = false
  /** Up to here the text is well formed, once what is open is closed. */
  let good = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === ',') good = i
    else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      good = i + 1
    } else if (char === '}' || char === ']') {
      open.pop()
      good = i + 1
    }
  }
  return text.slice(0, good) + open.reverse().join('')
}
