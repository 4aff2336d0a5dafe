/**
 * The OpenAI wires have no field for a failed tool. A mark at the beginning of the result's first text replaces it: an
 * LLM understands it, and the decoder removes it again.
 */
import type { Part } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'

export const toolErrorMark = '[tool error] '

/** The content of a result without the mark; `undefined` when there is none on it. */
export function takeErrorMark(content: readonly Part[]): readonly Part[] | undefined {
  const at = content.findIndex(part => part.kind === 'text')
  const first = content[at]
  if (first?.kind !== 'text' || !first.text.startsWith(toolErrorMark)) return undefined
  return content.with(at, { ...first, text: first.text.slice(toolErrorMark.length) })
}

/** The content of a failed result with the mark on its first text; content without any text gets one. */
export function putErrorMark(content: readonly Part[], path: Path): readonly Part[] {
  const at = content.findIndex(part => part.kind === 'text')
  const first = content[at]
  if (first?.kind !== 'text') return [{ kind: 'text', text: toolErrorMark, path }, ...content]
  return content.with(at, { ...first, text: toolErrorMark + first.text })
}
