/**
 * JSON that a model wrote, read into a value: no deeper than anything recursive can take, and no number other than
 * it was written. What cannot be read is told with its place, so that the model can correct itself.
 */
import { scanJson } from '../../json/scan-json.ts'

export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      /** Where it goes wrong, and how: whole sentences. */
      readonly message: string
      readonly position: number
    }

/** Nothing that a tool takes or a step gives is nested this deep. */
const maxDepth = 512

export function readJson(text: string): ReadJson {
  const found = scanJson(text, maxDepth)
  if (found === undefined) return { ok: true, value: JSON.parse(text) }
  const { position, problem, cutOff } = found
  const message = cutOff
    ? `After its ${text.length} characters, ${problem}.${near(text, position)} Send it whole.`
    : `At character ${position + 1} of ${text.length}, ${problem}.${near(text, position)}`
  return { ok: false, message, position }
}

/** What stands around the place, on one line. */
function near(text: string, position: number): string {
  const from = Math.max(0, position - 20)
  const excerpt = text.slice(from, position + 20)
  return ` Near: ${JSON.stringify(`${from > 0 ? '…' : ''}${excerpt}${position + 20 < text.length ? '…' : ''}`)}`
}
