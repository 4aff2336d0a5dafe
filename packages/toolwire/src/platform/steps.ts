/**
 * Work in steps, each of which says how many characters it has looked at: whoever has time does all of it at once, and
 * whoever serves others lets them have their turns in between.
 */
import { nextTurn } from './text-slices.ts'

export type Steps<T> = Generator<number, T, undefined>

/** What is done before others have their turn takes some ten milliseconds at most. */
const turnLength = 256 * 1024

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let looked = 0
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    looked += value
    if (looked < turnLength) continue
    looked = 0
    await nextTurn()
  }
}
