/**
 * What running tools needs from the platform: clock, timers, randomness and abort signals. It is a parameter, so
 * that a test can control the clock; the default is in `platform.ts`.
 */

/** The shape of an `AbortSignal`, for code compiled without the platform's types. */
export interface SignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The platform's `AbortSignal` where its types are available, so that a handler can pass it to `fetch`. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : SignalLike

/** What running tools needs of a platform: time, chance, aborting and ids. */
export interface Host {
  /** Milliseconds since any fixed moment. */
  now(): number
  /** Calls back once after the delay, unless the returned function is called first. */
  after(milliseconds: number, callback: () => void): () => void
  /** From 0 up to, not including, 1. */
  random(): number
  createAbort(): Abort
  newId(prefix: string): string
}

/** A signal together with what sets it off. */
export interface Abort {
  readonly signal: Signal
  abort(reason?: unknown): void
}
