/**
 * The seal of envelopes: AES-256-CTR under a nonce that is the MAC of owner and text (a synthetic nonce). Opening computes
 * the MAC again, so that nothing changed, and nothing of another owner, is ever returned. The same text always gives the
 * same result, and no counter or chance has to be kept apart between gateways (decision 28).
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
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
      const nonce = nonceOf(first, owner, text)
      const cipher = createCipheriv(algorithm, first.encryption, nonce)
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()])
      return `${first.id}.${bytes.toString('base64url')}`
    },
    open(sealed) {
      const at = sealed.indexOf('.')
      const key = keys.find(({ id }) => id === sealed.slice(0, at))
      const written = sealed.slice(at + 1)
      const bytes = Buffer.from(written, 'base64url')
      // Decoding skips what is not base64url: the same bytes in another writing were not written here.
      if (key === undefined || bytes.length < nonceBytes || bytes.toString('base64url') !== written)
        return undefined
      const nonce = bytes.subarray(0, nonceBytes)
      const decipher = createDecipheriv(algorithm, key.encryption, nonce)
      const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes)), decipher.final()]).toString()
      return timingSafeEqual(nonce, nonceOf(key, owner, text)) ? text : undefined
    },
  }
}

function nonceOf({ authentication }: SealKey, owner: string, text: string): Buffer {
  const mac = createHmac('sha256', authentication)
  // The length keeps owner and text apart.
  return mac.update(`${owner.length}.${owner}${text}`).digest().subarray(0, nonceBytes)
}
