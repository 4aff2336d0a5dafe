/** Where a request or a turn comes from, and where a request is sent. */

export interface Origin {
  /** The name of the wire. */
  readonly wire: string
  /** The name of the upstream, if it is known. */
  readonly upstream?: string
}

/**
 * True for what the target itself could have sent: the same wire, and the same upstream if both are known. Whatever a
 * program made has no origin and is native to no target.
 */
export function isNative(origin: Origin | null | undefined, target: Origin): boolean {
  if (origin === undefined || origin === null || origin.wire !== target.wire) return false
  return origin.upstream === undefined || target.upstream === undefined || origin.upstream === target.upstream
}
