/**
 * An upstream's answer without the keys that it was sent: some repeat them, in errors and elsewhere. Bytes are searched
 * as they come; only an end that may be the beginning of a key waits for what follows it.
 */
import { asBuffer, scratchConcat } from '../http/bytes.ts'
import type { BodyMask, UpstreamAnswer } from './attempt.ts'

export function maskAnswer(answer: UpstreamAnswer, secrets: readonly Secret[]): UpstreamAnswer {
  return secrets.length === 0 ? answer : new MaskedAnswer(answer, secrets)
}

/** From what is common in JSON to what is rare; what is not listed is rarer still. */
const byFrequency = 'e"taonisrl,dhcu:mpg0123456789fyb_{}[].kvw-xjzq'

/**
 * A few characters of a key, the first of them as rare as can be: the platform looks for the first one, and nearly all
 * answers are done with at one glance. They are few, so that a key that repeats itself takes no longer, and stand as far
 * behind as can be, because keys begin with words that answers have too.
 */
function rarePiece(text: string): Buffer {
  const length = 6
  const rarity = (at: number): number => {
    const rank = byFrequency.indexOf(text.charAt(at))
    return rank === -1 ? byFrequency.length : rank
  }
  let best = 0
  for (let at = 1; at + length <= text.length; at++) if (rarity(at) >= rarity(best)) best = at
  return Buffer.from(text.slice(best, best + length))
}

/** A key, and how to search for it in time that grows with the bytes alone, whatever the key is. */
export class Secret {
  readonly text: string
  readonly bytes: Buffer
  readonly #piece: Buffer
  /** For each byte, how far its last place in the key is from the key's end, not counting the end itself (Horspool). */
  readonly #steps: Uint32Array
  /** For each beginning of the key, the length of the longest shorter one that it ends in (Knuth, Morris, Pratt). */
  readonly #shorter: Uint32Array

  constructor(text: string) {
    this.text = text
    this.bytes = Buffer.from(text)
    this.#piece = rarePiece(text)
    const { length } = this.bytes
    this.#steps = new Uint32Array(256).fill(length)
    for (let at = 0; at < length - 1; at++) this.#steps[this.bytes[at] ?? 0] = length - 1 - at
    this.#shorter = new Uint32Array(length + 1)
    for (let end = 1, matched = 0; end < length; end++) {
      matched = this.#advance(matched, this.bytes[end] ?? 0)
      this.#shorter[end + 1] = matched
    }
  }

  /** Whether the bytes neither hold the key nor end in its beginning. */
  isAbsent(bytes: Buffer): boolean {
    if (!bytes.includes(this.#piece)) return this.beginningIn(bytes) === 0
    const { length } = this.bytes
    let compared = 0
    for (let end = length - 1; end < bytes.length; ) {
      let back = 0
      while (back < length && bytes[end - back] === this.bytes[length - 1 - back]) back++
      if (back === length) return false
      compared += back
      // A key that repeats itself: comparing at one place after the other would take too long.
      if (compared > bytes.length) return this.#matchedFrom(0, bytes) === 0
      end += this.#steps[bytes[end] ?? 0] ?? 1
    }
    return this.beginningIn(bytes) === 0
  }

  /** How long the end of the bytes is that the key begins with. */
  beginningIn(bytes: Buffer): number {
    const { length } = this.bytes
    // Mostly the last byte alone tells: the end of a line stands in no key.
    if ((this.#steps[bytes[bytes.length - 1] ?? 0] ?? 0) === length) return 0
    return this.#matchedFrom(Math.max(0, bytes.length - length + 1), bytes)
  }

  /** How much of the key is matched at the end of the bytes; all of it if they hold it anywhere. */
  #matchedFrom(start: number, bytes: Buffer): number {
    let matched = 0
    for (let at = start; at < bytes.length && matched < this.bytes.length; at++)
      matched = this.#advance(matched, bytes[at] ?? 0)
    return matched
  }

  #advance(matched: number, byte: number): number {
    let length = matched
    while (length > 0 && this.bytes[length] !== byte) length = this.#shorter[length] ?? 0
    return this.bytes[length] === byte ? length + 1 : 0
  }
}

class MaskedAnswer implements UpstreamAnswer {
  readonly status: number
  readonly headers: UpstreamAnswer['headers']
  readonly mask: BodyMask
  readonly #answer: UpstreamAnswer

  constructor(answer: UpstreamAnswer, secrets: readonly Secret[]) {
    this.status = answer.status
    this.headers = maskHeaders(answer.headers, secrets)
    this.mask = new SecretMask(secrets)
    this.#answer = answer
  }

  read(reader: Parameters<UpstreamAnswer['read']>[0]): void {
    this.#answer.read(reader)
  }

  pause(): void {
    this.#answer.pause()
  }

  resume(): void {
    this.#answer.resume()
  }

  abort(): void {
    this.#answer.abort()
  }
}

const mask = Buffer.from('***')

class SecretMask implements BodyMask {
  readonly #secrets: readonly Secret[]
  /** The beginning of a key, perhaps. */
  #held: Buffer | undefined

  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets
  }

  take(chunks: readonly Uint8Array[]): readonly Uint8Array[] {
    let bytes = asBuffer(scratchConcat(this.#held === undefined ? chunks : [this.#held, ...chunks]))
    if (this.#held === undefined && this.#secrets.every(secret => secret.isAbsent(bytes))) return chunks
    for (const secret of this.#secrets)
      if (!secret.isAbsent(bytes)) bytes = withoutSecret(bytes, secret.bytes)
    let end = bytes.length
    for (const secret of this.#secrets) end = Math.min(end, bytes.length - secret.beginningIn(bytes))
    // Copies, because the bytes may stand in memory that is used again.
    this.#held = end === bytes.length ? undefined : Buffer.from(bytes.subarray(end))
    return end === 0 ? [] : [Buffer.from(bytes.subarray(0, end))]
  }

  rest(): Uint8Array | undefined {
    const held = this.#held
    this.#held = undefined
    return held
  }
}

function withoutSecret(bytes: Buffer, secret: Buffer): Buffer {
  let at = bytes.indexOf(secret)
  if (at === -1) return bytes
  const pieces: Buffer[] = []
  let done = 0
  for (; at !== -1; at = bytes.indexOf(secret, done)) {
    pieces.push(bytes.subarray(done, at), mask)
    done = at + secret.length
  }
  return Buffer.concat([...pieces, bytes.subarray(done)])
}

function maskHeaders(
  headers: UpstreamAnswer['headers'],
  secrets: readonly Secret[],
): UpstreamAnswer['headers'] {
  let masked = headers
  for (const { text } of secrets) {
    for (const name of Object.keys(headers)) {
      const value = masked[name]
      if (value?.includes(text)) masked = { ...masked, [name]: value.replaceAll(text, '***') }
    }
  }
  return masked
}
