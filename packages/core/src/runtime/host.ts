/**
 * What running tools needs from the platform: the time, timers, chance and abort signals. It is handed in, so
 * that a test can hold the clock; the defaults are in `platform.ts`.
 */

/** The shape of an `AbortSignal`, for places without the platform's own type. */
export interface SignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The platform's `AbortSignal` wherever its types are known, so that a handler can pass it to `fetch`. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : SignalLike

export interface Host {
  /** Milliseconds since any fixed moment. */
  now(): number
  /** Calls back once, after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void
  /** From 0 up to, not including, 1. */
  random(): number
  createAbort(): Abort
  newId(prefix: string): string
}

export interface Abort {
  readonly signal: Signal
  abort(reason?: unknown): void
}
