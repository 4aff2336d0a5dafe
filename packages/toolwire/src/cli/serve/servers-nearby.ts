/** While the demo model answers for want of another: which servers on this machine could. */
import type { WireSet } from '../../config/wires.ts'
import type { Io } from '../../terminal/io.ts'
import { modelsText } from '../upstreams/models-found.ts'
import type { Environment } from './environment.ts'

export async function tellOfServers(
  io: Pick<Io, 'stdout'>,
  world: Pick<Environment, 'fetch'>,
  wires: WireSet,
): Promise<void> {
  const { findServers } = await import('../launch/find-servers.ts')
  const servers = await findServers(wires, world)
  const [first] = servers
  if (first === undefined) return
  for (const { host, upstream, models } of servers) {
    io.stdout.write(`${host.title} answers at ${host.baseUrl}: ${modelsText({ upstream, models })}\n`)
  }
  const { wire, baseUrl } = first.upstream
  io.stdout.write(
    `To use ${servers.length === 1 ? 'it' : 'them'}: "toolwire init" writes a configuration, ` +
      `or start with --upstream ${wire}=${baseUrl}\n`,
  )
}
