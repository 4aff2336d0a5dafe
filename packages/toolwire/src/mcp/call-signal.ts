/** What a call needs of its context, with a signal of the platform's own kind. */
import type { ToolContext } from '@toolwire/core'

export interface CallContext {
  readonly signal: AbortSignal
  progress(data: unknown): void
}

/** Whoever calls a handler directly may have given it a signal that only looks like the platform's. */
export function callContextOf(context: ToolContext): CallContext {
  const { signal } = context
  if (signal instanceof AbortSignal) return { signal, progress: data => context.progress(data) }
  const own = new AbortController()
  const like: ToolContext['signal'] = signal
  like.addEventListener('abort', () => own.abort(like.reason))
  return { signal: own.signal, progress: data => context.progress(data) }
}

export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
