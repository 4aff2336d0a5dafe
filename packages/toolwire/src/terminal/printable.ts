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
