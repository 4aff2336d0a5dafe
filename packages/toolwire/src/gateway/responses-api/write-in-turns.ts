/** Writes JSON that may be long a piece at a time, so that others have their turns between two pieces. */
import { endOfPiece, type NamedText, namedText, nextTurn } from '../../platform/text-slices.ts'

/** How much is written in a turn, in characters, and what a value costs beside its own. */
const turnLength = 256 * 1024
const valueCost = 32

/** Of plain data. What several calls write counts together. */
export class TurnWriter {
  #left = turnLength

  /** The same as `JSON.stringify` writes. */
  async write(id: string, value: unknown): Promise<NamedText> {
    const cost = costOf(value, this.#left)
    this.#left -= cost
    if (this.#left > 0) return { id, json: JSON.stringify(value) ?? 'null' }
    const pieces: string[] = []
    let piece = ''
    for (const text of jsonOf(value)) {
      piece += text
      if (piece.length < turnLength) continue
      pieces.push(piece)
      piece = ''
      await nextTurn()
    }
    await nextTurn()
    this.#left = turnLength
    return namedText(id, [...pieces, piece])
  }
}

/** Of all values in it, or of as many as are more than `most`. */
function costOf(value: unknown, most: number): number {
  if (typeof value === 'string') return valueCost + value.length
  let cost = valueCost
  if (typeof value !== 'object' || value === null) return cost
  for (const key in value) {
    cost += key.length + costOf((value as Readonly<Record<string, unknown>>)[key], most - cost)
    if (cost > most) break
  }
  return cost
}

function* jsonOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* stringOf(value)
  else if (Array.isArray(value)) {
    yield '['
    for (const [index, member] of value.entries()) {
      if (index > 0) yield ','
      yield* jsonOf(member)
    }
    yield ']'
  } else if (typeof value === 'object' && value !== null) {
    let before = '{'
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      yield* jsonOf(member)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  } else yield JSON.stringify(value) ?? 'null'
}

function* stringOf(text: string): Generator<string> {
  if (text.length <= turnLength) return yield JSON.stringify(text)
  yield '"'
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at + turnLength)
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}
