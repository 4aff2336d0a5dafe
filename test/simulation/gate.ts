/**
 * The edge of a simulated process. Everything that reaches or leaves a gateway passes its gate; once that is closed, the
 * gateway never runs on and has no effect any more, as after `kill -9`. It can close at any crossing and any number of
 * microtasks later, so that a process dies at any of its awaits.
 */
import { defineTool } from '@toolwire/core'
import type { Transport } from '../../packages/toolwire/src/gateway/http/contract.ts'
import type { GatewayServerTool } from '../../packages/toolwire/src/gateway/settings.ts'
import type { TimerGroup } from '../support/soak/clock.ts'

export interface Gate {
  readonly isOpen: boolean
  /** Counts a crossing; returns whether the gate is open. */
  cross(): boolean
  /** Calls back into the process, if it lives. */
  enter(callback: () => void): void
  /** A result for the process, which never comes if the process is dead by then. */
  guard<T>(work: Promise<T>): Promise<T>
  /** Called at the death of the process. The returned function takes it back. */
  onClose(callback: () => void): () => void
  close(): void
  /** Calls back once, so many crossings and then so many microtasks from now. */
  after(crossings: number, microtasks: number, callback: () => void): void
}

export function createGate(): Gate {
  const closing = new Set<() => void>()
  const planned: { at: number; microtasks: number; callback: () => void }[] = []
  let isOpen = true
  let crossings = 0
  const gate: Gate = {
    get isOpen() {
      return isOpen
    },
    cross() {
      crossings++
      for (const { microtasks, callback } of planned.filter(({ at }) => at === crossings))
        afterMicrotasks(microtasks, callback)
      return isOpen
    },
    enter(callback) {
      if (gate.cross()) callback()
    },
    guard: work =>
      new Promise((resolve, reject) => {
        work.then(
          value => gate.enter(() => resolve(value)),
          (error: unknown) => gate.enter(() => reject(error)),
        )
      }),
    onClose(callback) {
      closing.add(callback)
      return () => closing.delete(callback)
    },
    close() {
      isOpen = false
      for (const callback of [...closing]) callback()
      closing.clear()
    },
    after(count, microtasks, callback) {
      planned.push({ at: crossings + count, microtasks, callback })
    },
  }
  return gate
}

function afterMicrotasks(count: number, callback: () => void): void {
  if (count === 0) callback()
  else queueMicrotask(() => afterMicrotasks(count - 1, callback))
}

export function never<T>(): Promise<T> {
  return new Promise(() => {})
}

export function gateClock(gate: Gate, timers: TimerGroup): TimerGroup {
  return {
    ...timers,
    after: (milliseconds, callback) => timers.after(milliseconds, () => gate.enter(callback)),
    get waiting() {
      return timers.waiting
    },
  }
}

export function gateTransport(gate: Gate, transport: Transport): Transport {
  const dead = { pause: () => {}, resume: () => {}, abort: () => {} }
  return (request, receiver) => {
    if (!gate.cross()) return dead
    let forget = (): void => {}
    const flow = transport(request, {
      head: (status, headers) => gate.enter(() => receiver.head(status, headers)),
      data: chunk => gate.enter(() => receiver.data(chunk)),
      end() {
        forget()
        gate.enter(() => receiver.end())
      },
      fail(error) {
        forget()
        gate.enter(() => receiver.fail(error))
      },
    })
    forget = gate.onClose(() => flow.abort())
    return {
      pause: () => gate.cross() && flow.pause(),
      resume: () => gate.cross() && flow.resume(),
      abort() {
        forget()
        flow.abort()
      },
    }
  }
}

export function gateTool(gate: Gate, { name, parameters, run, server }: SimulatedTool): GatewayServerTool {
  const tool = defineTool({
    name,
    parameters,
    handler: (input: { key: string }) => (gate.cross() ? gate.guard(run(input)) : never<string>()),
  })
  return server === undefined ? tool : { ...tool, server }
}

export interface SimulatedTool {
  readonly name: string
  readonly parameters: {
    readonly type: 'object'
    readonly properties: { readonly key: { readonly type: 'string' } }
    readonly required: readonly ['key']
  }
  readonly server?: string
  run(input: { readonly key: string }): Promise<string>
}
