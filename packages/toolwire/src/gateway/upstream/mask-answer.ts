/**
 * An upstream's answer without the keys that it was sent: some repeat them, in errors and elsewhere. Bytes are searched
 * as they come; only an end that may be the beginning of a key waits for what follows it.
 */
import { asBuffer } from '../http/bytes.ts'
import type { BodyReader, UpstreamAnswer } from './attempt.ts'

export function maskAnswer(answer: UpstreamAnswer, secrets: readonly Buffer[]): UpstreamAnswer {
  return secrets.length === 0 ? answer : new MaskedAnswer(answer, secrets)
}

class MaskedAnswer implements UpstreamAnswer {
  readonly status: number
  readonly headers: UpstreamAnswer['headers']
  readonly #answer: UpstreamAnswer
  readonly #secrets: readonly Buffer[]

  constructor(answer: UpstreamAnswer, secrets: readonly Buffer[]) {
    this.status = answer.status
    this.headers = maskHeaders(answer.headers, secrets)
    this.#answer = answer
    this.#secrets = secrets
  }

  read(reader: BodyReader): void {
    this.#answer.read(new MaskedBody(reader, this.#secrets))
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

class MaskedBody implements BodyReader {
  readonly #reader: BodyReader
  readonly #secrets: readonly Buffer[]
  /** The beginning of a key, perhaps. */
  #held: Buffer | undefined

  constructor(reader: BodyReader, secrets: readonly Buffer[]) {
    this.#reader = reader
    this.#secrets = secrets
  }

  data(chunk: Uint8Array): void {
    let bytes = this.#held === undefined ? asBuffer(chunk) : Buffer.concat([this.#held, chunk])
    let end = bytes.length
    for (const secret of this.#secrets) {
      if (isFree(bytes, secret)) continue
      bytes = withoutSecret(bytes, secret)
      end = bytes.length - heldLength(bytes, this.#secrets)
    }
    // A copy, because the chunk may be part of a large buffer.
    this.#held = end === bytes.length ? undefined : Buffer.from(bytes.subarray(end))
    if (end > 0) this.#reader.data(end === bytes.length ? bytes : bytes.subarray(0, end))
  }

  end(): void {
    this.#release()
    this.#reader.end()
  }

  fail(error: Error): void {
    this.#release()
    this.#reader.fail(error)
  }

  #release(): void {
    if (this.#held !== undefined) this.#reader.data(this.#held)
    this.#held = undefined
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

/** Below this length a native call costs more than the search. */
const longLength = 1024

/** Whether the bytes neither hold the secret nor end in its beginning. */
function isFree(bytes: Buffer, secret: Buffer): boolean {
  const isLong = bytes.length >= longLength
  if (isLong && bytes.includes(secret)) return false
  return suspectIn(bytes, secret, isLong ? bytes.length - secret.length + 1 : 0) === bytes.length
}

/** How long the end is that a secret begins with. */
function heldLength(bytes: Buffer, secrets: readonly Buffer[]): number {
  let longest = 0
  for (const secret of secrets) {
    const start = Math.max(0, bytes.length - secret.length + 1)
    longest = Math.max(longest, bytes.length - suspectIn(bytes, secret, start))
  }
  return longest
}

/** The first place from which on the bytes are those of the secret, up to its end or to theirs. */
function suspectIn(bytes: Buffer, secret: Buffer, start: number): number {
  const first = secret[0]
  let at = Math.max(0, start)
  while (at < bytes.length && (bytes[at] !== first || !isAt(bytes, at, secret))) at++
  return at
}

function isAt(bytes: Buffer, at: number, secret: Buffer): boolean {
  const length = Math.min(secret.length, bytes.length - at)
  for (let index = 1; index < length; index++) if (bytes[at + index] !== secret[index]) return false
  return true
}

function maskHeaders(
  headers: UpstreamAnswer['headers'],
  secrets: readonly Buffer[],
): UpstreamAnswer['headers'] {
  let masked = headers
  for (const secret of secrets) {
    const text = secret.toString('utf8')
    for (const name of Object.keys(masked)) {
      const value = masked[name]
      if (value?.includes(text)) masked = { ...masked, [name]: value.replaceAll(text, '***') }
    }
  }
  return masked
}
