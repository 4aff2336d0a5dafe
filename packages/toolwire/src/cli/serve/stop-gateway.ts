/** Stops a gateway: running exchanges may finish, and are aborted when they take too long. */
import type { Server } from 'node:http'
import type { Gateway } from '../../gateway/create-gateway.ts'
import type { Io } from '../../terminal/io.ts'
import { plural } from '../../terminal/table.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Environment } from './environment.ts'

export interface Stoppable {
  readonly server: Server
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
      io.stderr.write(`${farewell(running.gateway.active, shutdownMs)}\n`)
      stop(running, shutdownMs).finally(forget).then(resolve, reject)
    })
  })
}

async function stop({ server, gateway, free }: Stoppable, shutdownMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
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
