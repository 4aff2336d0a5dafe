/** What is known of the host of an upstream: the one that it names, or else the one at its address. */
import type { Host } from '@toolwire/core/presets'
import { hostAt, hosts } from '@toolwire/core/presets'
import type { Upstream } from '../settings.ts'

/** Says that nothing is known of the host. */
export const noPreset = 'none'

export function hostOf({ preset, baseUrl }: Pick<Upstream, 'preset' | 'baseUrl'>): Host | undefined {
  if (preset === undefined) return hostAt(baseUrl)
  return hosts.find(({ name }) => name === preset)
}
