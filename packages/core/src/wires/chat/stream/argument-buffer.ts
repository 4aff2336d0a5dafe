/**
 * The arguments of one call while they arrive. Pieces are collected and joined once, so that many small ones cost no
 * more than one large one. Some servers repeat the complete arguments at the end; the repetition is dropped.
 */
import { backslashesBefore, closingQuote, parseJson } from '../../../json/text.ts'
import { jsonText } from '../../kit/json-text.ts'

export class ArgumentBuffer {
  /** Free text has no closing bracket, so a repetition could not be told from more of the same. */
  isFreeText = false
  readonly #brackets = new BracketCounter()
  #pieces: string[] = []
  /** The arguments at the moment their last bracket was closed. */
  #first: string | undefined
  /** How many characters of `#first` have been repeated since, and held back. */
  #repeated = 0
  /** What followed the closing bracket was not a repetition, so nothing is held back any more. */
  #passesAll = false

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  /** An object or array was opened and closed: whatever follows is not part of it. */
  get isClosed(): boolean {
    return this.#brackets.isClosed && !this.isFreeText
  }

  /** Returns what can be emitted now. */
  add(piece: string): string {
    if (piece === '') return ''
    if (this.#passesAll || this.isFreeText) return this.#append(piece)
    if (!this.#brackets.isClosed) {
      this.#brackets.read(piece)
      return this.#append(piece)
    }
    this.#first ??= this.joined()
    if (this.#first.startsWith(piece, this.#repeated)) {
      this.#repeated += piece.length
      if (this.#repeated === this.#first.length) this.#repeated = 0
      return ''
    }
    if (this.#repeated === 0 && piece.trim() === '') return this.#append(piece)
    if (this.#repeated === 0 && isSameJson(this.#first, piece)) return ''
    this.#passesAll = true
    return this.#append(this.#takeHeld() + piece)
  }

  /** Returns what was held back as a possible repetition that was never completed. */
  flush(): string {
    const held = this.#takeHeld()
    return held === '' ? '' : this.#append(held)
  }

  joined(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')]
    return this.#pieces[0] ?? ''
  }

  /** Whether the text repeats the complete arguments. */
  isRepeatedBy(text: string): boolean {
    return this.isClosed && isSameJson(this.#first ?? this.joined(), text)
  }

  #append(piece: string): string {
    this.#pieces.push(piece)
    return piece
  }

  #takeHeld(): string {
    const held = (this.#first ?? '').slice(0, this.#repeated)
    this.#repeated = 0
    return held
  }
}

/** Whether a text can begin the arguments of a function. */
export function beginsArguments(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/** Whether the call can be run with these arguments. Some servers send no text for a call without arguments. */
export function isCompleteJson(text: string): boolean {
  return text.trim() === '' || parseJson(text) !== undefined
}

function isSameJson(a: string, b: string): boolean {
  if (a === b) return true
  const value = parseJson(b)
  return value !== undefined && jsonText(value) === jsonText(parseJson(a))
}

class BracketCounter {
  #depth = 0
  #state: 'before' | 'inside' | 'string' | 'escape' | 'after' | 'invalid' = 'before'

  get isClosed(): boolean {
    return this.#state === 'after'
  }

  read(text: string): void {
    for (let at = 0; at < text.length && this.#state !== 'invalid'; ) at = this.#step(text, at)
  }

  /** Reads one character and returns the position of the next one that matters. */
  #step(text: string, at: number): number {
    const code = text.charCodeAt(at)
    switch (this.#state) {
      case 'before':
        if (code === 0x7b || code === 0x5b) {
          this.#state = 'inside'
          this.#depth = 1
        } else if (code > 0x20) this.#state = 'invalid'
        break
      case 'inside':
        if (code === 0x22) this.#state = 'string'
        else if (code === 0x7b || code === 0x5b) this.#depth++
        else if ((code === 0x7d || code === 0x5d) && --this.#depth === 0) this.#state = 'after'
        break
      case 'string':
        return this.#skipString(text, at)
      case 'escape':
        this.#state = 'string'
        break
      case 'after':
        if (code > 0x20) this.#state = 'invalid'
        break
      default:
        break
    }
    return at + 1
  }

  #skipString(text: string, start: number): number {
    const end = closingQuote(text, start)
    if (end >= 0) {
      this.#state = 'inside'
      return end + 1
    }
    if (backslashesBefore(text, text.length, start) % 2 === 1) this.#state = 'escape'
    return text.length
  }
}
