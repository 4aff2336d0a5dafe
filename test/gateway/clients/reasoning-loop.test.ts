/** Reasoning through five rounds of calls, before upstreams that refuse when theirs is missing, altered or another's. */
import { describe, expect, test } from 'vitest'
import { Loop, loopClients } from '../../support/reasoning/clients.ts'
import { allVoices as voices } from '../../support/reasoning/interleaved-voices.ts'
import { createReasoningModel } from '../../support/reasoning/model.ts'
import type { StagedUpstream } from '../../support/reasoning/stage.ts'
import { openStage } from '../../support/reasoning/stage.ts'

function upstream(voice: string, name: string): StagedUpstream {
  const spoken = voices[voice] as (typeof voices)[string]
  return { name, voice: spoken, model: createReasoningModel(spoken, name) }
}

describe.each(Object.keys(voices))('an upstream with the voice %s', voice => {
  test.each(loopClients.map(client => [client.name, client] as const))(
    'Five rounds with a restart in the middle come to their end. (%s)',
    async (_, client) => {
      const [a, b] = [upstream(voice, 'a'), upstream(voice, 'b')]
      const stage = await openStage([a, b])
      const loop = new Loop(client)
      await loop.run(stage, 3)
      await stage.restart()
      await loop.run(stage).catch((error: unknown) => expect(a.model.refusals).toEqual([String(error)]))
      expect(a.model.refusals).toEqual([])
      expect(loop.answers).toHaveLength(6)
    },
  )
})
