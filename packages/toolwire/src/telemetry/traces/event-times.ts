/**
 * When each event of a stream was complete. A recorder notes only how long each piece was and when it came; the events in
 * the pieces are looked for when somebody reads.
 */

/** `pieces`: pairs of a length in bytes and a time. */
export function eventTimes(bytes: Uint8Array, pieces: readonly number[]): number[] {
  if (pieces.length === 0) return []
  const times: number[] = []
  let piece = 0
  let end = pieces[0] ?? 0
  let blank = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    while (at >= end && piece + 2 < pieces.length) {
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
