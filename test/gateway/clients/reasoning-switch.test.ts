/** What becomes of reasoning when a conversation changes its upstream, its client or its gateway, or is tampered with. */
import { describe, expect, test } from 'vitest'
import type { LoopClient } from '../../support/reasoning/clients.ts'
import { Loop, loopClients } from '../../support/reasoning/clients.ts'
import { createReasoningModel } from '../../support/reasoning/model.ts'
import type { Stage, StagedUpstream } from '../../support/reasoning/stage.ts'
import { openStage } from '../../support/reasoning/stage.ts'
import type { Json } from '../../support/reasoning/voices.ts'
import { voices } from '../../support/reasoning/voices.ts'

function upstream(voice: string, name: string, demands = true): StagedUpstream {
  const spoken = voices[voice] as (typeof voices)[string]
  return { name, voice: spoken, model: createReasoningModel(spoken, name, demands) }
}

function clientNamed(name: string): LoopClient {
  return loopClients.find(client => client.name === name) as LoopClient
}

const clients = ['openai, Chat', 'openai, Responses', '@anthropic-ai/sdk'].map(clientNamed)

/** The codes that the gateway reports about a request, sent as it is to this model. */
async function reported(stage: Stage, client: LoopClient, request: Json, model: string): Promise<string[]> {
  const path = { chat: 'chat/completions', responses: 'responses', messages: 'messages' }[client.wire]
  const answer = await fetch(`${stage.baseURL}/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer a key',
      'x-toolwire-report': '1',
    },
    body: JSON.stringify({ ...request, model }),
  })
  const body = (await answer.json()) as { metadata?: { toolwire_losses?: string } }
  expect(answer.status, JSON.stringify(body)).toBe(200)
  const losses = JSON.parse(body.metadata?.toolwire_losses ?? '[]') as { code: string }[]
  return losses.map(({ code }) => code).filter(code => code.startsWith('reasoning'))
}

/** Every pair of voices, so that a switch on one wire is among them. */
const switches = Object.keys(voices).flatMap(from => Object.keys(voices).map(to => [from, to] as const))

describe.each(clients.map(client => [client.name, client] as const))('a conversation of %s', (_, client) => {
  test.each(switches)(
    'A switch from %s to %s leaves out what is sealed, and keeps what can be read.',
    async (from, to) => {
      const [a, b] = [upstream(from, 'a'), upstream(to, 'b')]
      const stage = await openStage([a, b])
      const loop = new Loop(client)
      await loop.run(stage, 2, 'a')
      const codes = await reported(stage, client, loop.request ?? {}, 'b')
      // One upstream of the client's own wire is asked without reading, so that its reasoning has no envelope.
      const isNaked = client.wire === a.voice.wire && client.wire !== b.voice.wire
      const isSealed = !isNaked || client.wire !== 'chat' || /details|blocks/.test(from)
      expect(codes.includes(isNaked ? 'reasoning_sealed' : 'reasoning_foreign')).toBe(isSealed)
      await loop.run(stage, 2, 'b')
      expect(b.model.refusals).toEqual([])
      const sent = JSON.stringify(b.model.bodies.at(-1))
      expect(sent).not.toContain('secret-of-a')
      // What the client was shown is still there, once.
      const isShown = JSON.stringify(loop.answers[0]).includes('a thinks “0”')
      expect(sent.split('a thinks “0”')).toHaveLength(isShown ? 2 : 1)
      expect(codes.includes('reasoning_as_text')).toBe(isShown)
      // Back again, everything of the first is there as it was.
      await loop.run(stage, 2, 'a')
      expect(a.model.refusals).toEqual([])
    },
  )

  test('Nobody else can use an envelope, and a changed one is no error.', async () => {
    const a = upstream('messages', 'a', false)
    const stage = await openStage([a, upstream('messages', 'b')])
    const loop = new Loop(client)
    await loop.run({ baseURL: stage.baseURL, key: 'ann' }, 1)
    const honest = loop.request ?? {}
    for (const request of [
      honest,
      tampered(honest, envelope => envelope.slice(0, -4)),
      tampered(honest, envelope => `${envelope.slice(0, -8)}AAAAAAAA`),
      tampered(honest, envelope => envelope.replace('.1.', '.9.')),
      tampered(honest, () => 'toolwire-sealed.1.'),
      tampered(honest, () => 'toolwire-sealed.1.AAAAAAAA.AAAA'),
    ]) {
      expect(await reported(stage, client, request, 'a')).toContain('reasoning_unreadable')
    }
    expect(a.model.refusals).toEqual([])
  })
})

function tampered(request: Json, change: (envelope: string) => string): Json {
  const text = JSON.stringify(request).replaceAll(/toolwire-sealed\.[\w.-]+/g, change)
  return JSON.parse(text) as Json
}
