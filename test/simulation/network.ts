/** Requests of clients, over connections that die with the gateway. Clients may be slow, stop reading, or leave. */

import { getEventListeners } from 'node:events'
import type { GatewayRequest, Sink } from '../../packages/toolwire/src/gateway/http/contract.ts'
import { textOf } from '../support/faults/upstream.ts'
import { keyOf } from '../support/soak/bodies.ts'
import { ownJson } from '../support/soak/json-work.ts'
import type { Behaviour } from '../support/soak/plan.ts'
import type { Random } from '../support/soak/random.ts'
import type { Process } from './cluster.ts'
import type { World } from './contract.ts'
import { foreignMarks } from './marks.ts'

export interface Call {
  /** For messages about what went wrong. */
  readonly name: string
  readonly owner: number
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly target: string
  readonly body?: object
  readonly behaviour?: Behaviour
  /** For a client that leaves: how long after its request. */
  readonly leavesAfter?: number
  /** How many rounds the answer may have. */
  readonly rounds?: number
  readonly random: Random
  readonly preferred?: Process | undefined
  /** Called with each write before the client can react to it. */
  readonly onText?: (text: string) => void
  /** Called when the client leaves. */
  readonly onLeave?: () => void
}

export interface Received {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** `whole`: the answer has ended. `left`: by the client. `cut`: by the gateway, as the client did not read. */
  readonly how: 'whole' | 'left' | 'cut' | 'killed' | 'open'
  readonly process: Process
  readonly startedAt: number
}

/** `undefined` when no gateway takes connections for long. */
export async function send(world: World, call: Call): Promise<Received | undefined> {
  for (let attempt = 0; attempt < 60; attempt++) {
    const process = world.cluster.pick(call.random, call.preferred)
    if (process !== undefined) return new Connection(world, call, process).done
    await world.pause(1_000)
  }
  return undefined
}

/** The gateway refused the request because its store or its memory has no room now. */
export function isUnavailable({ status, text }: Received): boolean {
  return status === 503 || (status !== 200 && /memory while it is worked on|all the memory/.test(text))
}

/** A blocked client may still get the end of each round and what was already on its way, after the write that blocked it. */
const maxWhileBlocked = 4

class Connection implements Sink {
  readonly done: Promise<Received>
  readonly #world: World
  readonly #call: Call
  readonly #process: Process
  readonly #gone = new AbortController()
  readonly #parts: string[] = []
  readonly #draining: (() => void)[] = []
  readonly #blocksAfter: number
  readonly #startedAt: number
  #status: number | undefined
  #headers: Readonly<Record<string, string>> = {}
  #how: Received['how'] = 'open'
  #isEnded = false
  #isBlocked = false
  #whileBlocked = 0
  waiting = 0

  constructor(world: World, call: Call, process: Process) {
    this.#world = world
    this.#call = call
    this.#process = process
    this.#blocksAfter = call.random.below(12)
    this.#startedAt = world.clock.now()
    world.note(`${call.name} ${process.name} ${call.method} ${call.target}`)
    this.done = new Promise(resolve => this.#open(resolve))
  }

  #open(resolve: (received: Received) => void): void {
    const { gate, gateway } = this.#process
    const { behaviour = 'calm', leavesAfter = 0 } = this.#call
    const finish = (): void => {
      forget()
      if (this.#how === 'open' && this.#isEnded) this.#how = 'whole'
      resolve(this.#received())
    }
    const forget = gate.onClose(() => {
      if (this.#how === 'open' && !this.#isEnded) this.#how = 'killed'
      finish()
    })
    if (!gate.cross()) return
    gateway.handle(this.#request(), this).then(
      () => gate.enter(finish),
      (error: unknown) => this.#report(`handle rejected: ${error}`),
    )
    if (behaviour !== 'leaves' && behaviour !== 'leaves early') return
    this.#world.clock.after(leavesAfter, () => {
      if (this.#how !== 'open' || this.#isEnded) return
      this.#how = 'left'
      gate.enter(() => this.#gone.abort())
      this.#call.onLeave?.()
    })
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.#process.gate.cross()) return
    if (this.#status !== undefined) this.#report('a second head')
    this.#status = status
    this.#headers = headers
  }

  write(chunk: string | Uint8Array): boolean {
    if (!this.#process.gate.cross()) return false
    if (this.#status === undefined) this.#report('a write before the head')
    if (this.#isEnded) this.#report('a write after the end')
    const text = textOf(chunk)
    if (this.#gone.signal.aborted) return true
    this.#parts.push(text)
    this.#world.note(`${this.#call.name} + ${text.length}`, text)
    this.#call.onText?.(text)
    this.waiting = this.#isBlocked ? this.waiting + text.length : 0
    if (this.#isBlocked) {
      this.#world.peak('bytes that wait for one client', this.waiting)
      if (++this.#whileBlocked > maxWhileBlocked * (this.#call.rounds ?? 1))
        this.#report(`${this.#whileBlocked} writes while blocked`)
      return false
    }
    if (this.#isSlowNow()) this.#block(text.length)
    return !this.#isBlocked
  }

  end(chunk?: string | Uint8Array): void {
    if (!this.#process.gate.cross()) return
    if (this.#isEnded) this.#report('a second end')
    if (chunk !== undefined) this.write(chunk)
    this.#isEnded = true
  }

  onDrain(callback: () => void): void {
    this.#draining.push(callback)
  }

  cut(): void {
    if (!this.#process.gate.cross()) return
    if (this.#call.behaviour !== 'frozen') this.#report('the connection was cut')
    if (this.#how === 'open' && !this.#isEnded) this.#how = 'cut'
    this.#gone.abort()
  }

  #isSlowNow(): boolean {
    const { behaviour, random } = this.#call
    if (behaviour === 'frozen') return this.#parts.length > this.#blocksAfter
    return behaviour === 'slow' && random.chance(0.3)
  }

  #block(length: number): void {
    const { behaviour, random } = this.#call
    this.#isBlocked = true
    this.#whileBlocked = 0
    this.waiting = length
    if (behaviour === 'frozen') return
    this.#world.clock.after(random.between(1, 1500), () => {
      this.#isBlocked = false
      this.waiting = 0
      this.#process.gate.enter(() => {
        for (const callback of this.#draining.splice(0)) callback()
      })
    })
  }

  #request(): GatewayRequest {
    const { method, target, owner, body, behaviour, random } = this.#call
    const bytes = Buffer.from(body === undefined ? '' : ownJson.stringify(body))
    return {
      method,
      target,
      headers: {
        host: 'localhost',
        authorization: `Bearer ${keyOf(owner)}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      signal: this.#gone.signal,
      body: () => {
        // A client that leaves early never finishes its request.
        if (behaviour === 'leaves early') return new Promise(() => {})
        const sent = random.chance(0.3) ? this.#world.pause(random.between(1, 800)) : Promise.resolve()
        return this.#process.gate.guard(sent.then(() => bytes))
      },
    }
  }

  #received(): Received {
    const { owner } = this.#call
    const text = this.#parts.join('')
    for (const mark of foreignMarks(owner, text)) this.#report(`it got the text ${mark} of another owner`)
    const { signal } = this.#gone
    const isLeft = this.#process.gate.isOpen && !signal.aborted && this.#how === 'whole'
    if (isLeft && getEventListeners(signal, 'abort').length > 0)
      this.#report('a listener is left on the signal of the client')
    this.#world.note(`${this.#call.name} ${this.#how} ${this.#status} ${text.length}`)
    if (/memory_full|memory while it is worked on/.test(text.slice(0, 2_000)))
      this.#world.count('refused for lack of memory')
    return {
      status: this.#status,
      headers: this.#headers,
      text,
      how: this.#how,
      process: this.#process,
      startedAt: this.#startedAt,
    }
  }

  #report(what: string): void {
    this.#world.report(`${this.#call.name} at ${this.#process.name}: ${what}`)
  }
}
