/** Server tools of a simulation: quick, slow, failing, or never returning. */
import type { TimerGroup } from '../support/soak/clock.ts'
import type { Random } from '../support/soak/random.ts'
import type { SimulatedTool } from './gate.ts'
import { never } from './gate.ts'

export const resultOf = (token: string): string => `found ${token}`
/** Every other result is a failure. */
export const isFound = (text: string): boolean => text.startsWith('found')

export function createTools(
  clock: TimerGroup,
  random: Random,
  faultRate: number,
  runs: Map<string, number>,
): readonly SimulatedTool[] {
  const wait = (least: number, most: number): Promise<void> =>
    new Promise(resolve => clock.after(random.between(least, most), resolve))
  const run = async ({ key }: { readonly key: string }): Promise<string> => {
    runs.set(key, (runs.get(key) ?? 0) + 1)
    if (random.chance(faultRate)) {
      switch (random.pick(['throws', 'throws later', 'hangs', 'times out'])) {
        case 'throws':
          throw new Error('The index is gone.')
        case 'throws later':
          await wait(1, 3_000)
          throw new Error('The index is gone.')
        case 'hangs':
          return never()
        default:
          // Longer than the gateway's tool timeout.
          await wait(12_000, 20_000)
      }
    } else if (random.chance(0.5)) await wait(1, 4_000)
    return resultOf(key)
  }
  const parameters = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const
  return [
    { name: 'lookup', parameters, run },
    { name: 'search', parameters, run, server: 'docs' },
  ]
}
