/** Opens the port, with messages for what can go wrong. */
import type { AddressInfo, Server } from 'node:net'
import { ConfigError } from '../../config/config-error.ts'

/** How many connections may wait to be accepted; the system may allow fewer. */
const backlog = 4096

/** How many ports after a port that nobody asked for are tried when it is taken. */
const nextPorts = 20

/**
 * Resolves to the opened port; rejects with a `ConfigError` that explains why it cannot be opened. A port that is only the
 * usual one may be replaced by one of the next.
 */
export async function listen(server: Server, host: string, port: number, isUsual = false): Promise<number> {
  const last = isUsual && port !== 0 ? port + nextPorts : port
  for (let next = port; ; next++) {
    try {
      return await open(server, host, next)
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isTaken || next >= last) throw listenFailure(error as NodeJS.ErrnoException, host, next)
    }
  }
}

function open(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

export function listenFailure(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  flag = '--port',
): unknown {
  const anotherPort = `choose another port with ${flag} (0 takes any free one)`
  switch (error.code) {
    case 'EADDRINUSE':
      return failure(
        `Port ${port} of ${host} is in use.`,
        `Stop what listens there, or ${anotherPort}. "toolwire doctor" says whether it is a gateway.`,
      )
    case 'EACCES':
      return failure(
        `Port ${port} may not be opened by this user.`,
        `Choose one above 1023 with ${flag} (0 takes any free one).`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failure(
        `${host} is no address of this machine.`,
        'Choose another with --host, such as 127.0.0.1.',
      )
    default:
      return error
  }
}

function failure(message: string, remedy: string): ConfigError {
  return new ConfigError([{ message, remedy }])
}
