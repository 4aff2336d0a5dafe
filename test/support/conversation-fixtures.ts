/** Whole requests and answers under `fixtures/requests/<wire>/` and `fixtures/answers/<wire>/`, one file each. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Wire } from '@toolwire/core'
import { wires } from './fixtures.ts'
import { root } from './source.ts'

export interface ConversationFixture {
  readonly wire: Wire
  readonly story: string
  readonly body: Record<string, unknown>
  /** The file that holds what conversion to `wire` must give. */
  golden(wire: Wire): string
}

export function conversationFixtures(kind: 'requests' | 'answers'): ConversationFixture[] {
  return wires.flatMap(wire => {
    const directory = `${root}fixtures/${kind}/${wire}/`
    const files = readdirSync(directory).filter(file => file.endsWith('.json'))
    return files.map(file => {
      const story = file.slice(0, -'.json'.length)
      return {
        wire,
        story,
        body: JSON.parse(readFileSync(directory + file, 'utf8')),
        golden: (to: Wire) => `${directory}${story}/to-${to}.json`,
      }
    })
  })
}
