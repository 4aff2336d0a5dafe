/**
 * Names, messages and file contents come from anywhere. What could move the cursor, change the terminal's
 * state or reorder the text on screen is shown as an escape instead.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what it is for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

export function printable(text: string): string {
  return text.replace(unsafe, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const longest = 60

/** A value as a message shows it: short, and without what could disturb the terminal. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return printable(shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown)
}
