import type { TokenPart } from '@toolwire/core/tokens'

/** The largest first, equals in the order of the request; or that order itself. */
export function sortParts(parts: readonly TokenPart[], by: string): TokenPart[] {
  return by === 'order' ? [...parts] : parts.toSorted((a, b) => b.tokens - a.tokens)
}
