/** Counts the nodes of stored JSON, which may be long, a piece at a time, so that others have their turns between. */
import { countJsonNodes } from '@toolwire/core/json'
import { type NamedText, nextTurn, slicesOf } from '../../platform/text-slices.ts'

/** Called with what each text has, as soon as it is known. */
export async function countInTurns(
  texts: Iterable<Omit<NamedText, 'id'>>,
  onCount: (nodes: number) => void,
): Promise<void> {
  let counter: NodeCounter | undefined
  let isFirst = true
  for (const slice of slicesOf(named(texts))) {
    // What is short has been counted before anybody could have waited.
    if (!isFirst) await nextTurn()
    isFirst = false
    for (const { json, goesOn } of slice) {
      if (counter === undefined && goesOn === undefined) {
        onCount(countJsonNodes(json))
        continue
      }
      counter ??= new NodeCounter()
      counter.add(json)
      if (goesOn === true) continue
      onCount(counter.nodes)
      counter = undefined
    }
  }
}

function* named(texts: Iterable<Omit<NamedText, 'id'>>): Generator<NamedText> {
  for (const text of texts) yield { id: '', ...text }
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

/** The same as `countJsonNodes`, for a text in pieces. */
export class NodeCounter {
  nodes = 0
  #isInString = false
  /** The last piece ended in a backslash that escapes what comes next. */
  #isEscaped = false

  add(piece: string): void {
    if (piece === '') return
    let at = this.#isInString ? this.#endOfString(piece, 0) : 0
    for (; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (code === quote) at = this.#endOfString(piece, at + 1) - 1
      else if (code === comma || code === 0x7b || code === 0x5b) this.nodes++
    }
  }

  /** The position behind the closing quote, or the end of the piece. */
  #endOfString(piece: string, start: number): number {
    const begin = this.#isEscaped ? start + 1 : start
    this.#isEscaped = false
    this.#isInString = true
    for (let from = begin; ; ) {
      const found = piece.indexOf('"', from)
      const end = found === -1 ? piece.length : found
      let slashes = 0
      while (end - slashes > begin && piece.charCodeAt(end - 1 - slashes) === backslash) slashes++
      const isEscape = slashes % 2 === 1
      if (found === -1) {
        this.#isEscaped = isEscape
        return piece.length
      }
      if (!isEscape) {
        this.#isInString = false
        return found + 1
      }
      from = found + 1
    }
  }
}
