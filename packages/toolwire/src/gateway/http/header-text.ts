/** A text from elsewhere as the value of a header: what no header may hold would make the whole answer fail. */
export function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e]/g, '?')
}
