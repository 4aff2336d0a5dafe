/**
 * When each event of a stream was complete. A recorder notes only how long each piece was and when it came; the events in
 * the pieces are looked for when somebody reads.
 */

/**
 * `pieces`: pairs of a length and a time. Lengths count characters where the pieces were texts, and bytes where they were
 * bytes, which for the ends of events is the same but for characters beyond ASCII; so the bytes are walked, and both counted.
 */
export function eventTimes(bytes: Uint8Array, pieces: readonly number[]): number[] {
  if (pieces.length === 0) return []
  let sum = 0
  for (let i = 0; i < pieces.length; i += 2) sum += pieces[i] ?? 0
  const countsBytes = sum === bytes.length
  const times: number[] = []
  let piece = 0
  let end = pieces[0] ?? 0
  let units = 0
  let blank = false
  for (const byte of bytes) {
    units += countsBytes ? 1 : unitsOf(byte)
    while (units > end && piece + 2 < pieces.length) {
      piece += 2
      end += pieces[piece] ?? 0
    }
    if (byte === newline) {
      if (blank) times.push(pieces[piece + 1] ?? 0)
      blank = !blank
    } else if (byte !== carriageReturn) blank = false
  }
  return times
}

const newline = 10
const carriageReturn = 13

/** How many characters of a JavaScript string begin with this byte of UTF-8. */
function unitsOf(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0
  return byte >= 0xf0 ? 2 : 1
}
