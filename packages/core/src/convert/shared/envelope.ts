/**
 * What only its origin may read, on its way through a client and back. The client carries it as one text, which it can
 * neither read nor change. Who seals it is injected: core knows no keys.
 */

import { parseJson } from '../../json/text.ts'
import type { Origin } from '../../model/origin.ts'
import { jsonText } from '../../wires/kit/json-text.ts'

/**
 * Authenticated encryption for one owner. It must be deterministic: equal texts give equal results, so that a stream and
 * a complete answer agree.
 */
export interface Seal {
  seal(text: string): string
  /** `undefined` for whatever this seal did not make, or made for another owner. */
  open(sealed: string): string | undefined
}

export interface Envelope {
  /** What the value is. */
  readonly kind: string
  /** Who may read the value. */
  readonly origin: Origin
  /** Plain JSON. */
  readonly value: unknown
}

/** What every envelope begins with, whatever its version. */
export const envelopeMark = 'toolwire-sealed.'

const version = '1.'

/** `undefined` if the value is nested too deep to be written. */
export function sealEnvelope({ kind, origin, value }: Envelope, seal: Seal): string | undefined {
  const { wire, upstream = null } = origin
  const text = jsonText([kind, wire, upstream, value])
  return text === undefined ? undefined : envelopeMark + version + seal.seal(text)
}

export function isEnvelope(text: string): boolean {
  return text.startsWith(envelopeMark)
}

/** `undefined` if it was forged, damaged or made for another owner, or by a later version. */
export function openEnvelope(text: string, seal: Seal): Envelope | undefined {
  const start = envelopeMark + version
  const opened = text.startsWith(start) ? seal.open(text.slice(start.length)) : undefined
  const content = opened === undefined ? undefined : parseJson(opened)
  if (!Array.isArray(content)) return undefined
  const [kind, wire, upstream, value] = content as unknown[]
  if (typeof kind !== 'string' || typeof wire !== 'string') return undefined
  return { kind, origin: typeof upstream === 'string' ? { wire, upstream } : { wire }, value }
}
