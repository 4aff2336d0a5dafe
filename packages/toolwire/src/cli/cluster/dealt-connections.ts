/** The connections of a worker process, which another process has accepted, for a server that opens no port itself. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export class DealtConnections {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  #onEmpty = (): void => {}

  constructor(server: Server) {
    this.#server = server
    // Its limits of time hold from then on.
    server.emit('listening')
  }

  readonly take = (socket: Socket): void => {
    // As for one that the server has accepted itself.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      if (this.#open.size === 0) this.#onEmpty()
    })
    this.#server.emit('connection', socket)
  }

  /** Resolves when all have been closed. */
  close(): Promise<void> {
    // It closes those that are idle, and fails because no port is open.
    this.#server.close(() => {})
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#onEmpty = resolve
    })
  }
}
