/** Text that looks like text and is the same in every run. */

const words =
  'the agent reads a file then edits it and runs the tests again because one of them still fails on the second line of the output where the parser gives up too early and nobody noticed until now'.split(
    ' ',
  )

/** @param {number} seed @returns {(below: number) => number} */
export function createDice(seed) {
  let state = seed >>> 0 || 1
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** @param {number} length in characters @param {number} seed */
export function prose(length, seed) {
  const dice = createDice(seed)
  const parts = []
  for (let written = 0; written < length; ) {
    const word = words[dice(words.length)]
    parts.push(word)
    written += word.length + 1
  }
  return parts.join(' ').slice(0, length)
}

/** Cuts a text into so many pieces of nearly one length. @param {string} text @param {number} count */
export function pieces(text, count) {
  const out = []
  for (let i = 0; i < count; i++) {
    out.push(text.slice(Math.floor((text.length * i) / count), Math.floor((text.length * (i + 1)) / count)))
  }
  return out
}
