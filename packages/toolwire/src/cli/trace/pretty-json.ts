import { printable } from '../../terminal/printable.ts'

/** Line ends are only between the values of JSON, so what could harm a terminal can be escaped line by line. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2).split('\n').map(printable).join('\n')}\n`
}
