/**
 * The one port of several worker processes. The process that started them accepts each connection and gives it to the next
 * one in turn: they have as many each, and one that is busy keeps nobody waiting to be accepted (decision 38).
 */
import type { Worker } from 'node:cluster'
import { createServer, type Server, type Socket } from 'node:net'

/** The message that a connection comes with. */
export const connectionMessage = 'connection'

/** How many connections may wait while no worker is ready. */
const mostWaiting = 4096

export class Dealer {
  /** Nothing is read here. */
  readonly server: Server = createServer({ pauseOnConnect: true }, socket => {
    // Whoever leaves before it has its turn.
    socket.on('error', () => {})
    this.#deal(socket)
  })
  readonly #workers: Worker[] = []
  /** What is to be sent to each, one after the other. */
  readonly #given = new Map<Worker, Set<Socket>>()
  readonly #waiting: Socket[] = []

  /** A worker that is ready gets its turns, or gets them again. */
  add(worker: Worker): void {
    this.#workers.push(worker)
    if (!this.#given.has(worker)) this.#given.set(worker, new Set())
    for (const socket of this.#waiting.splice(0)) this.#deal(socket)
  }

  /** One that does not answer gets no turns. */
  pass(worker: Worker): void {
    const at = this.#workers.indexOf(worker)
    if (at >= 0) this.#workers.splice(at, 1)
  }

  /** One that has ended. What was to be sent to it is closed, so that no client waits for an answer of nobody. */
  remove(worker: Worker): void {
    this.pass(worker)
    for (const socket of this.#given.get(worker) ?? []) socket.destroy()
    this.#given.delete(worker)
  }

  /** No connection is accepted any more. */
  close(): void {
    this.server.close()
    for (const socket of this.#waiting.splice(0)) socket.destroy()
  }

  #deal(socket: Socket): void {
    const worker = this.#workers.shift()
    if (worker === undefined) {
      if (this.#waiting.length < mostWaiting) this.#waiting.push(socket)
      else socket.destroy()
      return
    }
    this.#workers.push(worker)
    const given = this.#given.get(worker)
    given?.add(socket)
    // What was sent belongs to the system, which closes it when the worker ends before it takes it. By default Node would keep
    // its own copy until the worker says so, and for ever where it never does.
    worker.send(connectionMessage, socket, { keepOpen: true }, () => {
      given?.delete(socket)
      socket.destroy()
    })
  }
}
