/**
 * The arguments of one call while they come. Pieces are kept apart and joined once, so that many small ones
 * cost no more than one large one. Some servers say the whole arguments again at the end; that is heard once.
 */
import { jsonText } from './own-residue.ts'

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
  let pieces: string[] = []
  const brackets = createBracketCounter()
  let first: string | undefined
  let repeated = 0
  let isPlain = false

  const joined = (): string => {
    if (pieces.length > 1) pieces = [pieces.join('')]
    return pieces[0] ?? ''
  }
  const keep = (piece: string): string => {
    pieces.push(piece)
    return piece
  }
  const release = (): string => {
    const held = (first ?? '').slice(0, repeated)
    repeated = 0
    return held
  }

  return {
    add(piece) {
      if (piece === '' || isPlain || isFree()) return piece === '' ? '' : keep(piece)
      if (!brackets.isClosed()) {
        brackets.read(piece)
        return keep(piece)
      }
      first ??= joined()
      if (first.startsWith(piece, repeated)) {
        repeated += piece.length
        if (repeated === first.length) repeated = 0
        return ''
      }
      if (repeated === 0 && piece.trim() === '') return keep(piece)
      if (repeated === 0 && isSameJson(first, piece)) return ''
      // Not the same again, then: it is passed on as the model wrote it.
      isPlain = true
      return keep(release() + piece)
    },
    flush() {
      const held = release()
      return held === '' ? '' : keep(held)
    },
    joined,
    get isEmpty() {
      return pieces.length === 0
    },
    get isClosed() {
      return !isFree() && brackets.isClosed()
    },
    repeats(text) {
      return !isFree() && brackets.isClosed() && isSameJson(first ?? joined(), text)
    },
  }
}

/** Whether a text can begin the arguments of a function. */
export function beginsArguments(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/** Arguments that can be run. No text at all is how some servers spell none. */
export function isWholeJson(text: string): boolean {
  return text.trim() === '' || parsed(text) !== undefined
}

function isSameJson(a: string, b: string): boolean {
  if (a === b) return true
  const value = parsed(b)
  return value !== undefined && jsonText(value) === jsonText(parsed(a))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface BracketCounter {
  read(text: string): void
  isClosed(): boolean
}

function createBracketCounter(): BracketCounter {
  let depth = 0
  let state: 'before' | 'inside' | 'string' | 'escape' | 'after' | 'none' = 'before'
  const step = (code: number): void => {
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
        if (code === 0x5c) state = 'escape'
        else if (code === 0x22) state = 'inside'
        break
      case 'escape':
        state = 'string'
        break
      case 'after':
        if (code > 0x20) state = 'none'
        break
      default:
        break
    }
  }
  return {
    read(text) {
      for (let i = 0; i < text.length && state !== 'none'; i++) step(text.charCodeAt(i))
    },
    isClosed: () => state === 'after',
  }
}
