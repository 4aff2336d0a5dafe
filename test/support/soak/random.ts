/** A random generator with a seed: the same seed returns the same numbers, so that a failure can be reproduced. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** An integer from 0 up to, not including, `end`. */
  below(end: number): number
  between(least: number, most: number): number
  chance(probability: number): boolean
  pick<const T>(list: readonly [T, ...T[]]): T
  /** A separate generator, so that the numbers one part uses do not shift those of another. */
  fork(label: number): Random
}

export function createRandom(seed: number): Random {
  let state = seed | 0
  // The "mulberry32" generator: small, and uniform enough for this.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: probability => next() < probability,
    pick: list => list[below(list.length)] ?? list[0],
    fork: label => createRandom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(label + 1, 0xc2b2ae35)),
  }
}
