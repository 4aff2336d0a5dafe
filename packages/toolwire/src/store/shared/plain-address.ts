/** Addresses of servers as they may be shown. */
import { StoreError } from '../store-error.ts'

/** The address without what may be secret. */
export function plainAddress(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
  } catch {
    throw notAnAddress('is not a valid URL. Check its spelling; escape odd characters in the password.')
  }
}

/** What an address of a kind of server looks like. */
export interface AddressForm {
  readonly protocols: readonly string[]
  readonly example: string
  /** What may follow the host, where not everything may, and how it is called. */
  readonly path?: readonly [RegExp, string]
  /** Whether a "%" must begin an escape. */
  readonly isStrict?: boolean
}

/** As `plainAddress`, and refuses what the server's client would take for something else, or fail over in words of its own. */
export function checkedAddress(
  url: string,
  { protocols, example, path, isStrict = false }: AddressForm,
): string {
  const address = plainAddress(url)
  const { protocol, pathname, username, password } = new URL(url)
  if (!protocols.includes(protocol)) {
    throw notAnAddress(`begins with ${protocol}, which is of no such store. Write one such as ${example}.`)
  }
  if (path !== undefined && !path[0].test(pathname)) {
    throw notAnAddress(`ends in ${pathname}, which is ${path[1]}. Write one such as ${example}.`)
  }
  try {
    if (isStrict) decodeURIComponent(`${username}${password}`)
  } catch {
    throw notAnAddress('has a "%" in its user or password that begins no escape. Write it as %25.')
  }
  return address
}

const notAnAddress = (what: string): StoreError =>
  new StoreError('invalid', `The address of the store ${what}`)

/** What the client of a server says of a certificate that it does not trust. */
export const untrusted: RegExp = /certificate/
export const trustRemedy =
  'Name the file of the authority that signed its certificate in NODE_EXTRA_CA_CERTS, and the host as the certificate does.'
