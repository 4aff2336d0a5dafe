/** Headers: the key that a client presents, what must not be shown, and what may stand in a value. */
import type { WireDefinition } from '@toolwire/core'
import type { KeyPlace } from '@toolwire/core/wires'
import type { ViewHead } from '../../telemetry/observer.ts'

/** Names are in lower case. */
export type ClientHeaders = Readonly<Record<string, string | undefined>>

interface ClientKey {
  readonly value: string
  readonly place: KeyPlace
}

export type FindClientKey = (headers: ClientHeaders) => ClientKey | undefined

/** Finds the key of a request in any of the places where a client of one of these wires may present it. */
export function createKeyFinder(wires: Iterable<WireDefinition>): FindClientKey {
  const places = keyPlaces(wires).map(place => ({ place, read: keyReader(place) }))
  return headers => {
    for (const { place, read } of places) {
      const value = read(headers[place.header])
      if (value !== undefined) return { value, place }
    }
    return undefined
  }
}

/** Each place once. Those with a scheme come first, since another header may come from a proxy in between. */
export function keyPlaces(wires: Iterable<WireDefinition>): readonly KeyPlace[] {
  const places = new Map<string, KeyPlace>()
  for (const { service } of wires) {
    for (const place of service.http.keys) {
      const name = `${place.header} ${place.scheme ?? ''}`
      if (!places.has(name)) places.set(name, place)
    }
  }
  return [...places.values()].sort((a, b) => Number(b.scheme !== undefined) - Number(a.scheme !== undefined))
}

function keyReader({ scheme }: KeyPlace): (value: string | undefined) => string | undefined {
  if (scheme === undefined) return value => value
  const pattern = new RegExp(`^${scheme}\\s+(\\S+)\\s*$`, 'i')
  return value => (value === undefined ? undefined : pattern.exec(value)?.[1])
}

export function isSamePlace(a: KeyPlace, b: KeyPlace): boolean {
  return a.header === b.header && a.scheme === b.scheme
}

/** Other upgrades, such as to HTTP/2, may be ignored; a client that wants a socket can do nothing with an answer. */
export function asksForWebSocket({ upgrade }: ClientHeaders): boolean {
  return upgrade?.toLowerCase().includes('websocket') === true
}

/** Names of headers that hold keys. Those with tokens in the plural only count them. */
const secretName = /key|token(?!s)|authorization|cookie|secret/i

/** The same few names come again and again. */
const seenNames = new Map<string, { readonly line: string; readonly looksSecret: boolean }>()
const mostNames = 500
const longestName = 100

function seen(name: string): { readonly line: string; readonly looksSecret: boolean } {
  const known = seenNames.get(name)
  if (known !== undefined) return known
  const found = { line: `\n${name}\n`, looksSecret: secretName.test(name) }
  if (name.length > longestName) return found
  if (seenNames.size >= mostNames) seenNames.clear()
  seenNames.set(name, found)
  return found
}

/** `also`: names of headers that hold a key although they do not look like it. */
export function isSecret(name: string, also: ReadonlySet<string>): boolean {
  return seen(name).looksSecret || also.has(name)
}

/** A head for traces. Its keys are masked when somebody reads it. */
export class MaskedHead implements ViewHead {
  readonly line: string
  readonly #headers: ClientHeaders
  readonly #also: ReadonlySet<string>

  constructor(line: string, headers: ClientHeaders, also: ReadonlySet<string>) {
    this.line = line
    this.#headers = headers
    this.#also = also
  }

  get headers(): Readonly<Record<string, string>> {
    return maskSecrets(this.#headers, this.#also)
  }

  get text(): string {
    let text = this.line
    for (const name in this.#headers) {
      const value = this.#headers[name]
      if (value === undefined) continue
      const { line, looksSecret } = seen(name)
      text += looksSecret || this.#also.has(name) ? `${line}***` : line + value
    }
    return text
  }
}

function maskSecrets(headers: ClientHeaders, also: ReadonlySet<string>): Record<string, string> {
  const out: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) out[name] = isSecret(name, also) ? '***' : value
  }
  return out
}

/** Text from elsewhere as the value of a header. A character that no header may hold would fail the whole answer. */
export function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e]/g, '?')
}
