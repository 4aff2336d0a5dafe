/**
 * The beginning of a text, with an ellipsis where something is missing. It is a copy: a mere slice would keep the
 * whole text in memory for as long as it lives.
 */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text
  return `${Buffer.from(text.slice(0, length), 'utf16le').toString('utf16le')}…`
}
