/** A client's WebSocket to a gateway, which dies with it. What it gets of a response is given back as the stream that it is. */

import type { MessageListener, MessageSocket } from '../../packages/toolwire/src/gateway/http/contract.ts'
import { keyOf } from '../support/soak/bodies.ts'
import { ownJson } from '../support/soak/json-work.ts'
import type { Random } from '../support/soak/random.ts'
import type { Process } from './cluster.ts'
import type { World } from './contract.ts'
import { foreignMarks } from './marks.ts'
import type { Call, Received } from './network.ts'

interface Pending {
  readonly call: Call
  readonly startedAt: number
  readonly events: string[]
  settle(status: number, text: string, how: Received['how']): void
}

const ends = /^response\.(completed|incomplete|failed)$/

export class SimulatedSocket implements MessageSocket {
  readonly #world: World
  readonly #process: Process
  readonly #owner: number
  readonly #random: Random
  readonly #lanes = new Map<string, Pending>()
  #listener: MessageListener | undefined
  #unread: (() => void)[] = []
  #isFrozen = false
  #isClosed = false

  /** `undefined` when no gateway takes the connection. */
  static async open(world: World, owner: number, random: Random): Promise<SimulatedSocket | undefined> {
    const process = world.cluster.pick(random)
    if (process === undefined) return undefined
    const socket = new SimulatedSocket(world, process, owner, random)
    return (await socket.#open()) ? socket : undefined
  }

  private constructor(world: World, process: Process, owner: number, random: Random) {
    this.#world = world
    this.#process = process
    this.#owner = owner
    this.#random = random
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  #open(): Promise<boolean> {
    const { gate, gateway, name } = this.#process
    this.#world.note(`socket of ${this.#owner} to ${name}`)
    return new Promise(resolve => {
      gate.onClose(() => {
        this.#end('killed')
        resolve(false)
      })
      if (!gate.cross()) return
      const request = {
        method: 'GET',
        target: '/v1/responses',
        headers: {
          host: 'localhost',
          upgrade: 'websocket',
          connection: 'Upgrade',
          authorization: `Bearer ${keyOf(this.#owner)}`,
        },
        signal: new AbortController().signal,
        body: async () => new Uint8Array(),
        upgrade: async ({ listener }: { readonly listener: MessageListener }) => {
          this.#listener = listener
          listener.opened(this)
        },
      }
      const sink = { head: () => {}, write: () => true, end: () => {}, onDrain: () => {} }
      void gateway
        .handle(request, sink)
        .then(() => gate.enter(() => resolve(this.#listener !== undefined && !this.#isClosed)))
    })
  }

  /** Asks for a response on a lane of its own, and resolves when it has ended, or the socket has. */
  ask(lane: string, call: Call): Promise<Received> {
    const { clock } = this.#world
    const startedAt = clock.now()
    return new Promise(resolve => {
      const events: string[] = []
      const settle: Pending['settle'] = (status, text, how) => {
        this.#lanes.delete(lane)
        for (const mark of foreignMarks(call.owner, text))
          this.#report(call, `it got the text ${mark} of another owner`)
        this.#world.note(`${call.name} ${how} ${status} ${text.length}`)
        if (/memory_full|memory while it is worked on/.test(text.slice(0, 2_000)))
          this.#world.count('refused for lack of memory')
        const headers = { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' }
        resolve({ status, headers, text, how, process: this.#process, startedAt })
      }
      this.#lanes.set(lane, { call, startedAt, events, settle })
      if (this.#isClosed) {
        settle(200, '', 'left')
        return
      }
      const { behaviour, leavesAfter = 0 } = call
      if (behaviour === 'frozen') this.#isFrozen = true
      if (behaviour === 'leaves' || behaviour === 'leaves early')
        clock.after(leavesAfter, () => {
          if (this.#lanes.get(lane)?.events !== events) return
          this.disconnect()
          call.onLeave?.()
        })
      const body = Buffer.from(ownJson.stringify({ type: 'response.create', stream_id: lane, ...call.body }))
      this.#world.note(`${call.name} ${this.#process.name} on lane ${lane}`)
      this.#process.gate.enter(() => {
        this.#listener?.received(body.length)
        this.#listener?.message(body, false)
      })
    })
  }

  disconnect(): void {
    this.#end('left')
  }

  send(text: string, onSent: (length: number) => void): void {
    if (!this.#process.gate.cross() || this.#isClosed) return
    const { stream_id: lane = '', headers: _, ...message } = ownJson.parse(text) as Record<string, unknown>
    const pending = this.#lanes.get(String(lane))
    this.#world.note(`socket + ${text.length}`, text)
    if (pending !== undefined) this.#take(pending, message)
    const tell = (): void => this.#process.gate.enter(() => onSent(text.length))
    if (this.#isFrozen) this.#unread.push(tell)
    else if (this.#random.chance(0.1)) this.#world.clock.after(this.#random.between(1, 500), tell)
    else queueMicrotask(tell)
  }

  #take({ events, call, settle }: Pending, message: Record<string, unknown>): void {
    if (message.type === 'error' && message.status !== undefined) {
      if (events.length > 0) this.#report(call, 'a response that has begun was refused')
      settle(Number(message.status), ownJson.stringify({ error: message.error }), 'whole')
      return
    }
    const event = `event: ${message.type}\ndata: ${ownJson.stringify(message)}\n\n`
    events.push(event)
    call.onText?.(event)
    if (ends.test(String(message.type))) settle(200, `${events.join('')}data: [DONE]\n\n`, 'whole')
  }

  ping(): void {
    if (!this.#isFrozen) this.#process.gate.enter(() => this.#listener?.received(0))
  }

  pause(): void {}

  resume(): void {}

  setBusy(): void {}

  close(): void {
    if (this.#process.gate.cross()) queueMicrotask(() => this.#end('cut'))
  }

  cut(): void {
    if (this.#process.gate.cross()) this.#end('cut')
  }

  #end(how: Received['how']): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { events, settle } of [...this.#lanes.values()]) settle(200, events.join(''), how)
    this.#process.gate.enter(() => this.#listener?.closed())
    for (const tell of this.#unread.splice(0)) tell()
  }

  #report({ name }: Call, what: string): void {
    this.#world.report(`${name} on a socket at ${this.#process.name}: ${what}`)
  }
}
