/** The part of the settings that one of several worker processes gets, so that all of them take what one would. */
import type { Settings } from '../../config/config.ts'
import { defaultConnections, resolveLimits } from '../../gateway/settings.ts'

const keyShares = ['keyMemoryBytes', 'keyExchanges', 'keyBackground'] as const
const usualTrace = { entries: 200, bytes: 32 * 1024 * 1024 }

export function divideAmong(settings: Settings, count: number): Settings {
  const { limits: given, trace } = settings
  const part = (all: number): number => Math.ceil(all / count)
  const { connections, addressConnections, ...others } = { ...defaultConnections, ...given }
  // How much of it a key may have is found by each, since keys may come while it runs.
  const { keyMemoryBytes: _, keyExchanges: __, keyBackground: ___, ...limits } = resolveLimits(others, 1)
  const shares = keyShares.flatMap(name => (given[name] === undefined ? [] : [[name, part(given[name])]]))
  const { entries, bytes, ...rest } = { ...usualTrace, ...trace }
  return {
    ...settings,
    limits: {
      ...limits,
      connections: part(connections),
      addressConnections: part(addressConnections),
      memoryBytes: part(limits.memoryBytes),
      exchanges: part(limits.exchanges),
      queue: part(limits.queue),
      background: part(limits.background),
      // Threads for what would hold the event loop too long.
      workers: part(limits.workers),
      ...Object.fromEntries(shares),
    },
    trace: trace === false ? false : { ...rest, entries: part(entries), bytes: part(bytes) },
  }
}
