/** The written exchanges under `fixtures/<wire>/<story>/`. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Wire } from '@toolwire/core'
import { wires } from './wires.ts'

const root = fileURLToPath(new URL('../../fixtures/', import.meta.url))

export { wires } from './wires.ts'

export interface Fixture {
  readonly wire: Wire
  readonly story: string
  readonly body: Record<string, unknown>
  /** The file of this story that holds what conversion to `wire` must give. */
  golden(wire: Wire): string
}

export const fixtures: readonly Fixture[] = wires.flatMap(wire =>
  readdirSync(`${root}${wire}`).map(story => ({
    wire,
    story,
    body: JSON.parse(readFileSync(`${root}${wire}/${story}/body.json`, 'utf8')),
    golden: (to: Wire) => `${root}${wire}/${story}/to-${to}.json`,
  })),
)

/** Stories whose input breaks its own wire's rules; identity is promised for the others. */
export const malformed: ReadonlySet<string> = new Set([
  'chat/mixed-shapes',
  'chat/unreadable',
  'responses/nested-shapes',
  'messages/foreign-shapes',
])
