/** Counters of memory and of work that must stay below a limit. Whoever adds a counter adds its reading and its limit. */
import type { Check, World } from '../contract.ts'

interface Budget {
  readonly counter: string
  limit(world: World): number
  /** Reads the counter after each turn; others are written by the parts of the world themselves. */
  read?(world: World): number
}

const list: readonly Budget[] = [
  // One megabyte is the most; a piece of 256 kB may be on its way.
  { counter: 'bytes that wait for one client', limit: () => 1.25 * 1024 * 1024 },
  { counter: 'characters of JSON in one turn', limit: () => 1024 * 1024 },
  {
    counter: 'bytes in flight in one gateway',
    limit: ({ settings }) => settings.memoryBytes,
    read: ({ cluster }) => Math.max(0, ...cluster.processes.map(({ gateway }) => gateway.memoryUsed)),
  },
  {
    counter: 'timers of one gateway for each request',
    limit: () => 12,
    read: ({ cluster }) =>
      Math.max(0, ...cluster.processes.map(({ timers, gateway }) => timers.waiting / (gateway.active + 8))),
  },
]

export const budgets: Check = {
  name: 'budgets',
  onTurn(world) {
    for (const { counter, read } of list) if (read !== undefined) world.peak(counter, read(world))
  },
  atEnd(world) {
    for (const { counter, limit } of list) {
      const most = world.peaks.get(counter) ?? 0
      if (most > limit(world)) world.report(`${most} ${counter}, more than ${limit(world)}`)
    }
  },
}
