/**
 * A search through a body, a piece at a time, so that the page answers while it goes on. What one piece costs is counted
 * in values and characters, whatever the body is made of.
 */
import type { Path } from './json-tree.ts'

export interface TreeSearch {
  /** Keys and values that have the text in them, as far as it has looked. */
  readonly found: readonly Path[]
  readonly isDone: boolean
  /** Looks on; returns how much it looked at. */
  step(): number
}

/** A piece takes a few milliseconds. */
export const pieceOfWork = 200_000
/** A value costs as much as so many characters. */
const valueCost = 20
/** Of a long text so much at a time. */
const windowLength = 64 * 1024
export const mostFound = 10_000

interface Level {
  readonly value: object
  /** Of an object; a list has none. */
  readonly keys: readonly string[] | undefined
  next: number
}

export function searchTree(value: unknown, text: string): TreeSearch {
  const wanted = text.toLowerCase()
  const found: Path[] = []
  const levels: Level[] = []
  /** Where it stands, in a list that is changed in place. */
  const path: (string | number)[] = []
  /** A long text that it is in the middle of. */
  let long: { readonly text: string; at: number } | undefined
  let isDone = wanted === ''
  const note = (): void => {
    found.push(path.slice())
  }
  const enter = (here: unknown, isNamed: boolean): void => {
    if (isNamed) note()
    if (typeof here === 'object' && here !== null) {
      levels.push({ value: here, keys: Array.isArray(here) ? undefined : Object.keys(here), next: 0 })
    } else if (!isNamed) long = { text: String(here), at: 0 }
  }
  const lookAtText = (reading: { readonly text: string; at: number }): number => {
    // Small letters may be more than the capital they are of; twice the length is enough for any of them.
    const end = reading.at + windowLength
    const piece = reading.text.slice(reading.at, end + 2 * wanted.length)
    reading.at = end
    const isFound = piece.toLowerCase().includes(wanted)
    if (isFound) note()
    if (isFound || end >= reading.text.length) long = undefined
    return piece.length
  }
  const advance = (): number => {
    const level = levels.at(-1)
    if (level === undefined) {
      isDone = true
      return 0
    }
    const key = level.keys === undefined ? level.next : level.keys[level.next]
    path.length = levels.length - 1
    if (key === undefined || level.next >= (level.keys ?? (level.value as unknown[])).length) {
      levels.pop()
      return 0
    }
    level.next++
    path.push(key)
    const isNamed = typeof key === 'string' && key.toLowerCase().includes(wanted)
    enter((level.value as Record<string | number, unknown>)[key], isNamed)
    return valueCost
  }
  if (!isDone) enter(value, false)
  return {
    found,
    get isDone() {
      return isDone
    },
    step() {
      let work = 0
      while (!isDone && work < pieceOfWork) {
        work += long === undefined ? advance() : lookAtText(long)
        if (found.length >= mostFound) isDone = true
      }
      return work
    },
  }
}
