/**
 * The arguments of one call while they come. Pieces are kept apart and joined once, so that many small ones
 * cost no more than one large one. Some servers say the whole arguments again at the end; that is heard once.
 */

import { backslashesBefore, closingQuote, parseJson } from '../../../json/text.ts'
import { jsonText } from '../../kit/json-text.ts'

export interface ArgumentLog {
  /** What is to be passed on of this piece now. */
  add(piece: string): string
  /** What was held back because it might have been a repetition, and was none. */
  flush(): string
  joined(): string
  readonly isEmpty: boolean
  /** An object or list was begun and closed: whatever follows is no part of it. */
  readonly isClosed: boolean
  /** Whether the text is the same arguments again. */
  repeats(text: string): boolean
}

/** Free text has no closing bracket by which a repetition could be told from more of the same. */
export function createArgumentLog(isFree: () => boolean): ArgumentLog {
  return new Log(isFree)
}

class Log implements ArgumentLog {
  readonly #isFree: () => boolean
  readonly #brackets = createBracketCounter()
  #pieces: string[] = []
  /** The arguments as they were when their last bracket had been closed. */
  #first: string | undefined
  #repeated = 0
  #isPlain = false

  constructor(isFree: () => boolean) {
    this.#isFree = isFree
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  get isClosed(): boolean {
    return this.#brackets.isClosed() && !this.#isFree()
  }

  add(piece: string): string {
    if (piece === '' || this.#isPlain || this.#isFree()) return piece === '' ? '' : this.#keep(piece)
    if (!this.#brackets.isClosed()) {
      this.#brackets.read(piece)
      return this.#keep(piece)
    }
    this.#first ??= this.joined()
    if (this.#first.startsWith(piece, this.#repeated)) {
      this.#repeated += piece.length
      if (this.#repeated === this.#first.length) this.#repeated = 0
      return ''
    }
    if (this.#repeated === 0 && piece.trim() === '') return this.#keep(piece)
    if (this.#repeated === 0 && isSameJson(this.#first, piece)) return ''
    // Not the same again, then: it is passed on as the model wrote it.
    this.#isPlain = true
    return this.#keep(this.#release() + piece)
  }

  flush(): string {
    const held = this.#release()
    return held === '' ? '' : this.#keep(held)
  }

  joined(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')]
    return this.#pieces[0] ?? ''
  }

  repeats(text: string): boolean {
    return this.isClosed && isSameJson(this.#first ?? this.joined(), text)
  }

  #keep(piece: string): string {
    this.#pieces.push(piece)
    return piece
  }

  #release(): string {
    const held = (this.#first ?? '').slice(0, this.#repeated)
    this.#repeated = 0
    return held
  }
}

/** Whether a text can begin the arguments of a function. */
export function beginsArguments(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/** Arguments that can be run. No text at all is how some servers spell none. */
export function isWholeJson(text: string): boolean {
  return text.trim() === '' || parseJson(text) !== undefined
}

function isSameJson(a: string, b: string): boolean {
  if (a === b) return true
  const value = parseJson(b)
  return value !== undefined && jsonText(value) === jsonText(parseJson(a))
}

interface BracketCounter {
  read(text: string): void
  isClosed(): boolean
}

function createBracketCounter(): BracketCounter {
  let depth = 0
  let state: 'before' | 'inside' | 'string' | 'escape' | 'after' | 'none' = 'before'
  /** Reads one letter and gives the place of the next that can mean something. */
  const step = (text: string, at: number): number => {
    const code = text.charCodeAt(at)
    switch (state) {
      case 'before':
        if (code === 0x7b || code === 0x5b) {
          state = 'inside'
          depth = 1
        } else if (code > 0x20) state = 'none'
        break
      case 'inside':
        if (code === 0x22) state = 'string'
        else if (code === 0x7b || code === 0x5b) depth++
        else if ((code === 0x7d || code === 0x5d) && --depth === 0) state = 'after'
        break
      case 'string':
        return leaveString(text, at)
      case 'escape':
        state = 'string'
        break
      case 'after':
        if (code > 0x20) state = 'none'
        break
      default:
        break
    }
    return at + 1
  }
  /** Texts are jumped over by looking for their closing quotes. */
  const leaveString = (text: string, start: number): number => {
    const end = closingQuote(text, start)
    if (end >= 0) {
      state = 'inside'
      return end + 1
    }
    if (backslashesBefore(text, text.length, start) % 2 === 1) state = 'escape'
    return text.length
  }
  return {
    read(text) {
      for (let at = 0; at < text.length && state !== 'none'; ) at = step(text, at)
    },
    isClosed: () => state === 'after',
  }
}
