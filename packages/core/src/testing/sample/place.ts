/**
 * Where in the value a sample is being made. Chance belongs to the place: it follows from the seed, the way to
 * the place and how often the place or one around it was drawn anew, so that the rest stays as it was.
 */
import { shortHash } from '../../model/hash.ts'
import { escapePart } from '../../schema/refs/refs.ts'
import type { Random } from '../random.ts'
import { createRandom } from '../random.ts'

export interface Place {
  /** JSON pointer into the value, as the validator writes it. */
  readonly pointer: string
  readonly depth: number
  /** How often this place was drawn anew. */
  readonly attempt: number
  /** This place or one around it was drawn before, and what came was no good. */
  readonly isRedrawn: boolean
  /** The draws of this place and all around it, and which of several tries of an item it is. */
  readonly draw: string
  readonly random: Random
}

/** How often each place must be drawn anew, by pointer. */
export type Attempts = ReadonlyMap<string, number>

export function rootPlace(seed: number, attempts: Attempts): Place {
  return placeAt({ pointer: '', depth: 0, around: String(seed), isRedrawn: false }, attempts)
}

export function placeInside(place: Place, key: string | number, attempts: Attempts, again = 0): Place {
  const pointer = `${place.pointer}/${escapePart(key)}`
  const around = again === 0 ? place.draw : `${place.draw}~${again}`
  const isRedrawn = place.isRedrawn || again > 0
  return placeAt({ pointer, depth: place.depth + 1, around, isRedrawn }, attempts)
}

interface Spot {
  readonly pointer: string
  readonly depth: number
  /** The draws of what is around it. */
  readonly around: string
  readonly isRedrawn: boolean
}

function placeAt({ pointer, depth, around, isRedrawn }: Spot, attempts: Attempts): Place {
  const attempt = attempts.get(pointer) ?? 0
  const draw = `${around},${attempt}`
  const random = createRandom(Number.parseInt(shortHash(`${draw} ${pointer}`), 16))
  return { pointer, depth, attempt, draw, random, isRedrawn: isRedrawn || attempt > 0 }
}

export function pick<T>(random: Random, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)]
}
