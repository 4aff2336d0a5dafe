/** The clock, timers and chance of the runtime, for callers who do not bring their own. The only place that knows them. */
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

/** To ask for a little chance costs as much as to ask for more, so what is left is kept. */
const randomBytes = new Uint8Array(idLength * 64)
let used = randomBytes.length

/** 24 letters and digits, about 124 bits of chance. */
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

/** Timers of platforms count in 32 bits, and one set for longer goes off at once. */
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

/** A timer keeps the process alive while a call runs; whoever sets one clears it. */
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
