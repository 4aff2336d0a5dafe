/**
 * How many connections a server may have, in all and from one address. Where there are too many, the connection that has
 * been idle longest is closed, of the address that has most if it has one; only where none is idle is a new one refused.
 */
import type { Socket } from 'node:net'
import { OwnerShares } from '../../platform/owner-shares.ts'
import type { ConnectionLimits } from '../settings.ts'

interface Connection {
  readonly address: string
  /** Requests that are being answered. */
  active: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #all = new Map<Socket, Connection>()
  readonly #byAddress = new OwnerShares()
  /** By address, the one idle longest first. */
  readonly #idle = new Map<string, Set<Socket>>()

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** Makes room for a new connection, or closes it. */
  add(socket: Socket): void {
    if (this.#all.has(socket)) return
    const address = socket.remoteAddress ?? ''
    const { connections, addressConnections } = this.#limits
    const hasRoom =
      (this.#byAddress.of(address) < addressConnections || this.#closeIdle(address)) &&
      (this.#all.size < connections || this.#closeIdle(this.#byAddress.largest()) || this.#closeIdle())
    if (!hasRoom) {
      socket.destroy()
      return
    }
    this.#all.set(socket, { address, active: 0 })
    this.#byAddress.add(address, 1)
    this.#setIdle(socket, address)
    socket.once('close', () => this.#remove(socket))
  }

  /** A request has come. Whoever calls this calls `end` when it has been answered. */
  begin(socket: Socket): void {
    const connection = this.#all.get(socket)
    if (connection === undefined) return
    connection.active++
    this.#unsetIdle(socket, connection.address)
  }

  end(socket: Socket): void {
    const connection = this.#all.get(socket)
    if (connection === undefined) return
    connection.active--
    if (connection.active === 0) this.#setIdle(socket, connection.address)
  }

  /** Whether there was one. Without an address: the first of any. */
  #closeIdle(address?: string): boolean {
    const idle = address === undefined ? this.#idle.values().next().value : this.#idle.get(address)
    const [longest] = idle ?? []
    if (longest === undefined) return false
    this.#remove(longest)
    longest.destroy()
    return true
  }

  #setIdle(socket: Socket, address: string): void {
    const idle = this.#idle.get(address)
    if (idle === undefined) this.#idle.set(address, new Set([socket]))
    else idle.add(socket)
  }

  #unsetIdle(socket: Socket, address: string): void {
    const idle = this.#idle.get(address)
    idle?.delete(socket)
    if (idle?.size === 0) this.#idle.delete(address)
  }

  #remove(socket: Socket): void {
    const connection = this.#all.get(socket)
    if (connection === undefined) return
    this.#all.delete(socket)
    this.#byAddress.add(connection.address, -1)
    this.#unsetIdle(socket, connection.address)
  }
}
