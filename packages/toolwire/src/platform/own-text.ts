/**
 * A copy of a text. V8 implements `slice` as a reference into the original, so that whoever keeps a name out of a body keeps
 * the body.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
