/** The clock and chance of the runtime, for callers who do not bring their own. The only place that knows them. */

const runtime = globalThis as unknown as {
  Date: { now(): number }
  crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** 24 letters and digits, about 124 bits of chance. */
export function randomId(prefix: string): string {
  const bytes = runtime.crypto.getRandomValues(new Uint8Array(24))
  return prefix + Array.from(bytes, byte => alphabet[byte % alphabet.length]).join('')
}

export function secondsNow(): number {
  return Math.floor(runtime.Date.now() / 1000)
}
