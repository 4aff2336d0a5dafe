/** Sends the steps of an answer to a receiver, one per turn of the event loop, and obeys pause, resume and abort. */

import type { Flow, HeaderMap, Receiver } from '../gateway/http/contract.ts'
import type { Clock } from '../platform/clock.ts'

export type Step =
  | { readonly kind: 'head'; readonly status: number; readonly headers: HeaderMap }
  | { readonly kind: 'data'; readonly text: string }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  /** Nothing more comes until the caller aborts. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'fail'; readonly error: Error }

const encoder = new TextEncoder()

/** `steps` are generated as they are needed, so nothing runs before this function has returned. */
export function deliver(steps: Iterable<Step>, receiver: Receiver, clock: Clock): Flow {
  let isOver = false
  let isPaused = false
  /** Cancels the pending turn or timer; `undefined` when there is none. */
  let cancel: (() => void) | undefined
  const iterator = steps[Symbol.iterator]()

  const schedule = (): void => {
    const turn = setImmediate(go)
    cancel = () => clearImmediate(turn)
  }
  const close = (): void => {
    isOver = true
    cancel?.()
    cancel = undefined
  }
  function go(): void {
    cancel = undefined
    if (isOver || isPaused) return
    const next = nextStep(iterator)
    if (next === undefined) {
      close()
      receiver.end()
      return
    }
    take(next)
  }
  const take = (step: Step): void => {
    switch (step.kind) {
      case 'head':
        receiver.head(step.status, step.headers)
        break
      case 'data':
        receiver.data(encoder.encode(step.text))
        break
      case 'wait':
        cancel = clock.after(step.milliseconds, go)
        return
      case 'silence':
        cancel = () => {}
        return
      case 'fail':
        close()
        receiver.fail(step.error)
        return
    }
    // The receiver may have aborted, or paused and resumed, during its call.
    if (!isOver && cancel === undefined) schedule()
  }

  schedule()
  return {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      if (!isOver && cancel === undefined) schedule()
    },
    abort: close,
  }
}

function nextStep(iterator: Iterator<Step>): Step | undefined {
  try {
    const next = iterator.next()
    return next.done === true ? undefined : next.value
  } catch (error) {
    return { kind: 'fail', error: error instanceof Error ? error : new Error(String(error)) }
  }
}
