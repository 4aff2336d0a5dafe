/** Keeps results to a size that fits a conversation. What is left out is said where it is missing. */
import type { ContentPart } from './outcome.ts'
import { textPart } from './tool-result.ts'

/** The beginning and the end of the text, with a mark for what is missing between: `limit` characters, or the mark alone where that is longer. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const longestMark = markOf(text.length, text.length)
  const room = Math.max(0, limit - longestMark.length)
  // More of the beginning, because a text says there what it is.
  const head = withoutHalfPair(text.slice(0, Math.ceil((room * 2) / 3)))
  const tail = text.slice(text.length - Math.floor(room / 3)).replace(/^[\udc00-\udfff]/, '')
  return `${head}${markOf(text.length - head.length - tail.length, text.length)}${tail}`
}

/** Of all texts together. The first that does not fit is cut; those after it are counted and left out. */
export function cutContent(
  content: readonly ContentPart[],
  limit: number,
): { content: ContentPart[]; cut: boolean } {
  const kept: ContentPart[] = []
  let room = limit
  let leftOut = 0
  let cut = false
  for (const part of content) {
    if (part.kind !== 'text') {
      kept.push(part)
    } else if (cut) {
      leftOut += part.text.length
    } else {
      cut = part.text.length > room
      kept.push(cut ? textPart(cutText(part.text, room)) : part)
      room -= part.text.length
    }
  }
  if (leftOut > 0) kept.push(textPart(markOf(leftOut, leftOut)))
  return { content: kept, cut }
}

function markOf(missing: number, all: number): string {
  return `[… ${missing} of ${all} characters left out …]`
}

/** Half of a surrogate pair could not be sent. */
function withoutHalfPair(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
