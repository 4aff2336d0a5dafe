/**
 * The keys of the seal: those of the configuration, or else one that all gateways on a store share. Without both, the key
 * lives as long as the gateway.
 */
import { randomBytes } from 'node:crypto'
import type { Seal } from '@toolwire/core'
import type { Store } from '../../store/store.ts'
import type { SealKey } from './create-seal.ts'
import { createSeal, deriveSealKey } from './create-seal.ts'

export interface SealKeysOptions {
  /** The first one seals; the others open what was sealed before. */
  readonly secrets: readonly string[]
  readonly store: Pick<Store, 'secret'> | undefined
}

/** The name of the key in the store. */
const secretName = 'seal'

export type SealKeyRing = readonly [SealKey, ...SealKey[]]

export class SealKeys {
  readonly #store: SealKeysOptions['store']
  #ring: SealKeyRing | undefined
  /** For as long as the store does not answer. What it sealed can be opened until the gateway ends. */
  #own: { readonly secret: string; readonly key: SealKey } | undefined
  #isFinal: boolean
  #loading: Promise<SealKeyRing> | undefined

  constructor({ secrets, store }: SealKeysOptions) {
    const [first, ...others] = secrets.map(deriveSealKey)
    this.#store = store
    this.#ring = first && [first, ...others]
    this.#isFinal = first !== undefined
  }

  /** A promise only until the keys are known. Never rejects. After it has failed once, nobody waits for the store. */
  ring(): SealKeyRing | Promise<SealKeyRing> {
    if (!this.#isFinal) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined
      })
    }
    return this.#ring ?? this.#loading ?? this.#load()
  }

  /** A promise only until the keys are known. */
  sealFor(owner: string): Seal | Promise<Seal> {
    const ring = this.ring()
    return ring instanceof Promise ? ring.then(known => createSeal(known, owner)) : createSeal(ring, owner)
  }

  async #load(): Promise<SealKeyRing> {
    if (this.#own === undefined) {
      const secret = randomBytes(32).toString('base64url')
      this.#own = { secret, key: deriveSealKey(secret) }
    }
    const { secret, key: own } = this.#own
    const shared = await this.#store?.secret(secretName, secret).catch(() => undefined)
    this.#isFinal = this.#store === undefined || shared !== undefined
    const key = shared === undefined ? own : deriveSealKey(shared)
    this.#ring = key.id === own.id ? [own] : [key, own]
    return this.#ring
  }
}
