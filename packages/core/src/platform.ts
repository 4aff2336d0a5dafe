/** The runtime's clock, timers and random numbers, as defaults for callers. No other file of core uses these globals. */
import type { Abort, Host } from './runtime/host.ts'

const runtime = globalThis as unknown as {
  Date: { now(): number }
  performance: { now(): number }
  crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }
  setTimeout(callback: () => void, milliseconds: number): unknown
  clearTimeout(timer: unknown): void
  AbortController: new () => Abort
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const idLength = 24

/** `getRandomValues` has a fixed cost per call: draw 64 ids' worth and reuse the rest. */
const randomBytes = new Uint8Array(idLength * 64)
let used = randomBytes.length

/** 24 random letters and digits, about 124 bits of entropy. */
export function randomId(prefix: string): string {
  if (used === randomBytes.length) {
    runtime.crypto.getRandomValues(randomBytes)
    used = 0
  }
  let id = prefix
  for (const end = used + idLength; used < end; used++)
    id += alphabet[(randomBytes[used] ?? 0) % alphabet.length]
  return id
}

export function secondsNow(): number {
  return Math.floor(runtime.Date.now() / 1000)
}

/** Platform timers are limited to 32 bits; a longer delay would fire at once. */
const longestTimer = 2 ** 31 - 1

function after(milliseconds: number, callback: () => void): () => void {
  let timer: unknown
  const wait = (rest: number): void => {
    const now = Math.min(rest, longestTimer)
    timer = runtime.setTimeout(() => (rest > now ? wait(rest - now) : callback()), now)
  }
  if (milliseconds < Number.POSITIVE_INFINITY) wait(milliseconds)
  return () => runtime.clearTimeout(timer)
}

/** Timers keep the process alive while a call runs; whoever sets one clears it. */
export const host: Host = {
  now: () => runtime.performance.now(),
  after,
  random: () => Math.random(),
  createAbort() {
    const controller = new runtime.AbortController()
    return { signal: controller.signal, abort: reason => controller.abort(reason) }
  },
  newId: randomId,
}
