/**
 * The seal of envelopes: AES-256-CTR under a nonce that is the MAC of owner and text (a synthetic nonce). Opening computes
 * the MAC again, so that nothing changed, and nothing of another owner, is ever returned. The same text always gives the
 * same result, and no counter or chance has to be kept apart between gateways (decision 28). Clients carry what is sealed
 * in every request, so it is compressed first.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Seal } from '@toolwire/core'

/** What a gateway derives from one key. */
export interface SealKey {
  /** Tells which key it was, and nothing about it. */
  readonly id: string
  readonly encryption: Uint8Array
  readonly authentication: Uint8Array
}

const algorithm = 'aes-256-ctr'
const nonceBytes = 16

export function deriveSealKey(secret: string): SealKey {
  const derive = (use: string, length: number): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secret, 'toolwire', `seal ${use}`, length))
  return {
    id: Buffer.from(derive('id', 6)).toString('base64url'),
    encryption: derive('encryption', 32),
    authentication: derive('authentication', 32),
  }
}

/** The first key seals; all of them open. */
export function createSeal(keys: readonly [SealKey, ...SealKey[]], owner: string): Seal {
  const [first] = keys
  return {
    seal(text) {
      const packed = pack(text)
      const nonce = nonceOf(first, owner, packed)
      const cipher = createCipheriv(algorithm, first.encryption, nonce)
      const bytes = Buffer.concat([nonce, cipher.update(packed), cipher.final()])
      return `${first.id}.${bytes.toString('base64url')}`
    },
    open(sealed) {
      const at = sealed.indexOf('.')
      const key = keys.find(({ id }) => id === sealed.slice(0, at))
      const written = sealed.slice(at + 1)
      const bytes = Buffer.from(written, 'base64url')
      // Decoding skips what is not base64url: the same bytes in another writing were not written here.
      if (key === undefined || bytes.length <= nonceBytes || bytes.toString('base64url') !== written)
        return undefined
      const nonce = bytes.subarray(0, nonceBytes)
      const decipher = createDecipheriv(algorithm, key.encryption, nonce)
      const packed = Buffer.concat([decipher.update(bytes.subarray(nonceBytes)), decipher.final()])
      return timingSafeEqual(nonce, nonceOf(key, owner, packed)) ? unpack(packed) : undefined
    },
  }
}

function nonceOf({ authentication }: SealKey, owner: string, packed: Uint8Array): Buffer {
  const mac = createHmac('sha256', authentication)
  // The length keeps the owner and the rest apart.
  return mac.update(`${owner.length}.${owner}`).update(packed).digest().subarray(0, nonceBytes)
}

/** The first byte tells whether the rest is compressed. */
const [plain, deflated] = [Buffer.of(0), Buffer.of(1)]
/** What is longer would hold the event loop. */
const longestPacked = 256 * 1024
/** A client may repeat an envelope in one request as often as it likes, so it must not hold much more than it weighs. */
const mostPacked = 4

function pack(text: string): Buffer {
  const bytes = Buffer.from(text)
  const smaller = bytes.length > longestPacked ? bytes : deflateRawSync(bytes, { level: 1 })
  const isWorth = smaller.length < bytes.length && smaller.length * mostPacked >= bytes.length
  return Buffer.concat(isWorth ? [deflated, smaller] : [plain, bytes])
}

function unpack(packed: Buffer): string {
  const rest = packed.subarray(1)
  return (packed[0] === deflated[0] ? inflateRawSync(rest) : rest).toString()
}
