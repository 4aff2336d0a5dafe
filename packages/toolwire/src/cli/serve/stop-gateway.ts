/** Stops a gateway: running exchanges may finish, and are aborted when they take too long. */
import type { Server } from 'node:http'
import type { Gateway } from '../../gateway/create-gateway.ts'
import type { Io } from '../../terminal/io.ts'
import { plural } from '../../terminal/table.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Environment } from './environment.ts'

export interface Stoppable {
  /** How many requests are being answered. */
  active(): number | Promise<number>
  /** Lets exchanges end for so long, and frees everything. */
  stop(shutdownMs: number): Promise<void>
}

interface Stopping {
  readonly server: Server
  /** Lets no connection in any more, and resolves when all are closed. */
  close(): Promise<void>
  readonly gateway: Gateway
  /** Frees what belongs to it, once no exchange is left. */
  free(): Promise<void>
}

/** How long written answers may take to reach their clients. */
const lastBytesMs = 2_000
const lookEveryMs = 20

/** Resolves when a signal came and everything has ended. A second signal ends the process at once. */
export function untilStopped(
  running: Stoppable,
  shutdownMs: number,
  { io, world }: { readonly io: Io; readonly world: Environment },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = false
    const forget = world.onStop(() => {
      if (asked) return world.exit(exitCodes.interrupted)
      asked = true
      const stop = async (): Promise<void> => {
        io.stderr.write(`${farewell(await running.active(), shutdownMs)}\n`)
        await running.stop(shutdownMs)
      }
      stop().finally(forget).then(resolve, reject)
    })
  })
}

export async function stopGateway(
  { server, close, gateway, free }: Stopping,
  shutdownMs: number,
): Promise<void> {
  const closed = close()
  await gateway.drain(shutdownMs)
  // A kept-alive connection is closed when it is idle; one that stays busy is cut.
  const letGo = setInterval(() => server.closeIdleConnections(), lookEveryMs)
  const giveUp = setTimeout(() => server.closeAllConnections(), lastBytesMs)
  server.closeIdleConnections()
  await closed
  clearInterval(letGo)
  clearTimeout(giveUp)
  await free()
}

function farewell(active: number, shutdownMs: number): string {
  if (active === 0) return 'Stopping.'
  const patience = `up to ${shutdownMs / 1000} s for ${plural(active, 'request')}`
  return `Stopping; waiting ${patience}. Press Ctrl-C once more to stop at once.`
}
