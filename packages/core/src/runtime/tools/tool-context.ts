/** What a handler gets beside its arguments. */
import type { Signal, SignalLike } from '../host.ts'

export interface ToolContext {
  /** Aborts when the call must stop: the caller gave up, time ran out, or another call failed fatally. */
  readonly signal: Signal
  readonly callId: string
  /** The tool's name. */
  readonly name: string
  /** 1 for the first try. */
  readonly attempt: number
  /** The same for every attempt of one call and for no other call: lets a service recognise a repetition. */
  readonly idempotencyKey: string
  /** Tells whoever listens to the run how far the handler is. Ignored once the call has ended. */
  progress(data: unknown): void
}

/** For a handler that is called directly and not by a run: nothing aborts it and nobody listens. */
export function detachedContext(name: string): ToolContext {
  return {
    signal: neverAborts() as Signal,
    callId: 'direct',
    name,
    attempt: 1,
    idempotencyKey: 'direct',
    progress: () => {},
  }
}

function neverAborts(): SignalLike & { throwIfAborted(): void } {
  return {
    aborted: false,
    addEventListener: () => {},
    removeEventListener: () => {},
    throwIfAborted: () => {},
  }
}
