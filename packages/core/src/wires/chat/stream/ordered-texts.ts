/**
 * Texts that the wire sets end to end. Of parts that are spoken at the same time the earlier one goes out as it
 * comes, and the others wait until it is at its end.
 */
export interface TextLane {
  /** A part that goes on with the one before is set to it without a gap. */
  open(index: number, goesOn: boolean): void
  /** What may go out now. */
  write(index: number, text: string): string
  close(index: number): string
  /** All that waits, when no part will be ended any more. */
  drain(): string
}

interface Waiting {
  readonly index: number
  readonly goesOn: boolean
  pieces: string[]
  isEnded: boolean
}

/** Between the texts of two parts stands the separator. */
export function createTextLane(separator: string): TextLane {
  const queue: Waiting[] = []
  let isBegun = false
  let isBetween = false

  const send = (text: string, { goesOn }: Waiting): string => {
    if (text === '') return ''
    const gap = isBetween && !goesOn ? separator : ''
    isBetween = false
    isBegun = true
    return gap === '' ? text : gap + text
  }
  const release = (all: boolean): string => {
    let out = ''
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      out += send(head.pieces.join(''), head)
      head.pieces = []
      if (!head.isEnded && !all) break
      queue.shift()
      isBetween = isBegun
    }
    return out
  }
  return {
    open: (index, goesOn) => void queue.push({ index, goesOn, pieces: [], isEnded: false }),
    write(index, text) {
      const head = queue[0]
      if (head?.index === index) return send(text, head)
      queue.find(part => part.index === index)?.pieces.push(text)
      return ''
    },
    close(index) {
      const part = queue.find(part => part.index === index)
      if (part !== undefined) part.isEnded = true
      return release(false)
    },
    drain: () => release(true),
  }
}
