/** Found by the simulation: an answer that is complete is told in full, whatever comes before its line is closed. */
import { describe, expect, test } from 'vitest'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { bodyFor, endOf, framesOf, pairs, paths, textTurn } from '../../support/faults/wires.ts'
import { readStream } from '../../support/soak/reader.ts'

interface Interruption {
  readonly name: string
  readonly timeouts: { readonly idleMs: number; readonly totalMs: number }
  happen({ gateway, clock }: Harness): Promise<void>
}

const patient = { idleMs: 1_000, totalMs: 1_000 }
const interruptions: readonly Interruption[] = [
  { name: 'the gateway stops', timeouts: patient, happen: ({ gateway }) => gateway.close() },
  {
    name: 'the time is up',
    timeouts: { ...patient, totalMs: 100 },
    happen: ({ clock }) => clock.advance(100),
  },
  {
    name: 'nothing more comes for longer than may be',
    timeouts: { ...patient, idleMs: 60 },
    happen: ({ clock }) => clock.advance(60),
  },
]

describe.each(pairs)('%s over %s', (client, wire) => {
  test.each(interruptions)(
    'An exchange that is interrupted leaves nothing behind: $name.',
    async ({ timeouts, happen }) => {
      const setting = createHarness({ wire, upstream: { timeouts } })
      const { gateway, upstream, clock } = setting
      const visited = sendTo(gateway, paths[client], { body: bodyFor(client, { stream: true }) })
      const asked = await upstream.next()
      asked.stream()
      for (const frame of await framesOf(wire, textTurn)) {
        await clock.advance(1)
        asked.data(frame)
      }
      await clock.settle()
      await happen(setting)
      await visited.done
      expect(endOf(client, visited.text)).toEqual({ end: 'good' })
      expect(readStream(client, visited.text)).toMatchObject({ text: textTurn.text, endings: 1, afterEnd: 0 })
      expect(asked.isAborted).toBe(true)
      expect(clock.timers).toBe(0)
    },
  )
})
