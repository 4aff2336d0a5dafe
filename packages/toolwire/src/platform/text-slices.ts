/**
 * Texts in slices. What crosses to another thread is copied, and a long text or a long list of texts would hold the event
 * loop for as long as that takes; a slice takes a millisecond, and others have their turns between two of them.
 */

/** A text that has an id. */
export interface NamedText {
  readonly id: string
  readonly json: string
  /** The pieces that a long text came in. To look into `json` joins them, which holds the event loop if they are many. */
  readonly pieces?: readonly string[]
}

/** The whole of a text, or a piece of it that the next one continues. */
export interface TextPiece extends NamedText {
  readonly goesOn?: true
}

/** How many characters a slice has, and what a text costs beside its own. */
export const sliceLength: number = 1024 * 1024
const textCost = 200

/** What it takes to copy them, in characters. */
export function copyCost(texts: Iterable<NamedText>): number {
  let cost = 0
  for (const { json } of texts) cost += textCost + json.length
  return cost
}

/** In their order. There is at least one slice. */
export function* slicesOf(texts: Iterable<NamedText>): Generator<readonly TextPiece[]> {
  let slice: TextPiece[] = []
  let room = sliceLength
  for (const { id, json, pieces = [json] } of texts) {
    for (const [index, piece] of pieces.entries()) {
      const isLast = index === pieces.length - 1
      let at = 0
      while (piece.length - at > room) {
        const end = endOfPiece(piece, at + Math.max(2, room))
        slice.push({ id, json: piece.slice(at, end), goesOn: true })
        at = end
        yield slice
        slice = []
        room = sliceLength
      }
      const rest = at === 0 ? piece : piece.slice(at)
      slice.push(isLast ? { id, json: rest } : { id, json: rest, goesOn: true })
      room -= textCost + rest.length
      if (room > 0) continue
      yield slice
      slice = []
      room = sliceLength
    }
  }
  yield slice
}

/** Where a piece can end: not between the halves of a surrogate pair, which would be written as two wrong characters. */
export function endOfPiece(text: string, end: number): number {
  if (end >= text.length) return text.length
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end
}

/** Puts slices together again. A long text is copied as a whole only when somebody looks into it. */
export class TextCollector {
  readonly texts: NamedText[] = []
  #pieces: string[] = []

  add(slice: readonly TextPiece[]): void {
    for (const { id, json, goesOn } of slice) {
      this.#pieces.push(json)
      if (goesOn === true) continue
      this.texts.push(namedText(id, this.#pieces))
      this.#pieces = []
    }
  }
}

export function namedText(id: string, pieces: readonly string[]): NamedText {
  const [json = ''] = pieces
  if (pieces.length < 2) return { id, json }
  // A concatenation, which engines copy when somebody looks into it. To join a list copies it at once.
  return { id, json: pieces.reduce((whole, piece) => whole + piece, ''), pieces }
}

/** Lets others have their turn. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
