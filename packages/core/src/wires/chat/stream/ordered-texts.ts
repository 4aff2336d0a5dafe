/**
 * Texts that this wire puts end to end in one field. When parts overlap, the earliest open one is written as it
 * arrives, and the others wait until it has ended.
 */
interface QueuedText {
  readonly index: number
  /** It continues the part before, so that no separator comes between them. */
  readonly continues: boolean
  pieces: string[]
  isEnded: boolean
}

export class OrderedTexts {
  readonly #separator: string
  readonly #queue: QueuedText[] = []
  #hasText = false
  #needsSeparator = false

  constructor(separator: string) {
    this.#separator = separator
  }

  open(index: number, continues: boolean): void {
    this.#queue.push({ index, continues, pieces: [], isEnded: false })
  }

  /** Returns what can be written now. */
  write(index: number, text: string): string {
    const first = this.#queue[0]
    if (first?.index === index) return this.#separated(text, first)
    this.#queue.find(part => part.index === index)?.pieces.push(text)
    return ''
  }

  close(index: number): string {
    const part = this.#queue.find(part => part.index === index)
    if (part !== undefined) part.isEnded = true
    return this.#release(false)
  }

  /** Everything that waits, when no part will end any more. */
  drain(): string {
    return this.#release(true)
  }

  #release(all: boolean): string {
    let out = ''
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      out += this.#separated(first.pieces.join(''), first)
      first.pieces = []
      if (!first.isEnded && !all) break
      this.#queue.shift()
      this.#needsSeparator = this.#hasText
    }
    return out
  }

  #separated(text: string, { continues }: QueuedText): string {
    if (text === '') return ''
    const isSeparated = this.#needsSeparator && !continues
    this.#needsSeparator = false
    this.#hasText = true
    return isSeparated ? this.#separator + text : text
  }
}
