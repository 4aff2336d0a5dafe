/** Server tools of a simulation: quick, slow, failing, or never returning. */
import { defineTool } from '@toolwire/core'
import type { GatewayServerTool } from '../../../packages/toolwire/src/gateway/settings.ts'
import type { TimerGroup } from './clock.ts'
import type { Random } from './random.ts'

export interface SoakTools {
  readonly tools: readonly GatewayServerTool[]
  /** How often each call was run, by the token in its arguments. */
  readonly runs: ReadonlyMap<string, number>
}

export const resultOf = (token: string): string => `found ${token}`
/** Every other result is a failure. */
export const isFound = (text: string): boolean => text.startsWith('found')

export function createSoakTools(clock: TimerGroup, random: Random, faultRate: number): SoakTools {
  const runs = new Map<string, number>()
  const wait = (least: number, most: number): Promise<void> =>
    new Promise(resolve => clock.after(random.between(least, most), resolve))
  const run = async ({ key }: { key: string }): Promise<string> => {
    runs.set(key, (runs.get(key) ?? 0) + 1)
    if (random.chance(faultRate)) {
      switch (random.pick(['throws', 'throws later', 'hangs', 'times out'])) {
        case 'throws':
          throw new Error('The index is gone.')
        case 'throws later':
          await wait(1, 3_000)
          throw new Error('The index is gone.')
        case 'hangs':
          return new Promise(() => {})
        default:
          // Longer than the gateway's tool timeout.
          await wait(12_000, 20_000)
      }
    } else if (random.chance(0.5)) await wait(1, 4_000)
    return resultOf(key)
  }
  const parameters = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const
  const lookup = defineTool({ name: 'lookup', parameters, handler: run })
  const search = { ...defineTool({ name: 'search', parameters, handler: run }), server: 'docs' }
  return { tools: [lookup, search], runs }
}
