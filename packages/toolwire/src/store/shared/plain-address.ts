/** Addresses of servers as they may be shown. */
import { StoreError } from '../store-error.ts'

/** The address without what may be secret. */
export function plainAddress(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
  } catch {
    throw new StoreError(
      'invalid',
      'The address of the store is not a valid URL. Check its spelling; escape odd characters in the password.',
    )
  }
}
