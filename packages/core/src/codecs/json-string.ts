/** A text as JSON. Most pieces of a stream are short and need no escapes, which is found out faster than it is done. */

const longestLookedAt = 64

export function jsonString(text: string): string {
  return text.length <= longestLookedAt && isPlain(text) ? `"${text}"` : JSON.stringify(text)
}

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false
  }
  return true
}
