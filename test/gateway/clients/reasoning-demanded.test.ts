/** Hosts and models that are known to want the reasoning of every call back, whoever asks them and whoever made the call. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { LoopClient } from '../../support/reasoning/clients.ts'
import { Loop, loopClients } from '../../support/reasoning/clients.ts'
import type { ReasoningModel } from '../../support/reasoning/model.ts'
import { createReasoningModel } from '../../support/reasoning/model.ts'
import type { StagedUpstream } from '../../support/reasoning/stage.ts'
import { openStage } from '../../support/reasoning/stage.ts'
import type { Json, Voice } from '../../support/reasoning/voices.ts'
import { voices } from '../../support/reasoning/voices.ts'

type Settings = NonNullable<StagedUpstream['settings']>

function voiceNamed(name: string): Voice {
  return voices[name] as Voice
}

function upstream(voice: string, name: string, settings: Settings): StagedUpstream {
  const spoken = voiceNamed(voice)
  return { name, voice: spoken, model: createReasoningModel(spoken, name), settings }
}

const wanting: readonly (readonly [string, string, Settings])[] = [
  ['the host DeepSeek', 'reasoning_content', { preset: 'deepseek' }],
  ['the host Kimi', 'reasoning_content', { preset: 'kimi' }],
  ['the host Kimi on Messages', 'messages', { preset: 'kimi' }],
  ['the host OpenRouter', 'reasoning and details', { preset: 'openrouter' }],
  ['a model of DeepSeek by another name', 'reasoning', { rename: { m: 'deepseek-v4-pro' } }],
  ['a model of DeepSeek elsewhere', 'reasoning_content', { models: ['deepseek-v4-pro'] }],
  ['a fact of the profile', 'reasoning_details', { profile: { callReasoning: 'useful' } }],
]

describe.each(wanting)('one upstream, %s', (_, voice, settings) => {
  const { wire } = voiceNamed(voice)
  test.each(loopClients.filter(client => client.wire === wire).map(client => [client.name, client] as const))(
    'Five rounds of a client of its own wire come to their end. (%s)',
    async (__, client) => {
      const a = upstream(voice, 'a', settings)
      const stage = await openStage([a])
      const loop = new Loop(client)
      const [model = 'm'] = settings.models ?? []
      await loop.run(stage, 3, model)
      await stage.restart()
      await loop
        .run(stage, 3, model)
        .catch((error: unknown) => expect(a.model.refusals).toEqual([String(error)]))
      expect(a.model.refusals).toEqual([])
      expect(loop.answers).toHaveLength(6)
    },
  )
})

test('An upstream of which nothing is known is sent the bytes of a client of its own wire.', async () => {
  const a = upstream('reasoning_content', 'a', {})
  const stage = await openStage([a])
  const loop = new Loop(clientNamed('openai, Chat'))
  await loop.run(stage, 1)
  expect(JSON.stringify(loop.answers)).not.toContain('toolwire-sealed')
})

function clientNamed(name: string): LoopClient {
  return loopClients.find(client => client.name === name) as LoopClient
}

/** Like `createReasoningModel`, but any reasoning will do, and none will not. */
function createStrictModel(voice: Voice, name: string): ReasoningModel {
  const refusals: string[] = []
  const bodies: Json[] = []
  return {
    refusals,
    bodies,
    reply(body) {
      bodies.push(body)
      const bare = voice.heard(body).filter(([, reasoning]) => !/[^[\]{}]/.test(JSON.stringify(reasoning)))
      if (bare.length > 0 || JSON.stringify(body).includes('secret-of-a')) {
        refusals.push(JSON.stringify(body))
        return { refusal: 'reasoning_content is missing in assistant tool call message' }
      }
      const round = { name, number: voice.heard(body).length, callId: undefined }
      return body.stream === true ? { events: voice.frames(round) } : { whole: voice.whole(round) }
    },
  }
}

const strict: readonly (readonly [string, string, Settings])[] = [
  ['DeepSeek', 'reasoning_content', { preset: 'deepseek' }],
  ['Kimi', 'reasoning_content', { preset: 'kimi' }],
  ['DeepSeek on Messages', 'messages', { preset: 'deepseek' }],
  ['Kimi elsewhere', 'reasoning_content', { rename: { b: 'moonshotai/kimi-k3' } }],
]

const switching = [
  'openai, Chat',
  'openai, Chat, streamed, without reasoning',
  'openai, Responses',
  'a client like Codex',
  '@anthropic-ai/sdk, streamed',
]

describe.each(strict)('a switch in the middle of a loop to %s', (_, voice, settings) => {
  const cases = Object.keys(voices).flatMap(from => switching.map(name => [from, name] as const))
  test.each(cases)('What %s said to the client "%s" is reasoning there, or a blank.', async (from, name) => {
    // Two of one wire, so that nothing passes unread: the streams of these voices are not complete.
    const [a, other] = [upstream(from, 'a', {}), upstream(from, 'other', {})]
    const model = createStrictModel(voiceNamed(voice), 'b')
    const stage = await openStage([a, other, { name: 'b', voice: voiceNamed(voice), model, settings }])
    const loop = new Loop(clientNamed(name))
    await loop.run(stage, 2, 'a')
    await loop.run(stage, 1, 'b').catch((error: unknown) => expect(model.refusals).toEqual([String(error)]))
    expect(loop.answers).toHaveLength(3)
    // Nobody is told in the words of the assistant what it thought.
    expect(textsOf(voiceNamed(voice).wire, model.bodies.at(-1) ?? {})).not.toContain('a thinks')
  })
})

function textsOf(wire: Wire, body: Json): string {
  const messages = body.messages as readonly Json[]
  if (wire === 'chat') return JSON.stringify(messages.map(({ content }) => content))
  const blocks = messages.flatMap(({ content }) => content as readonly Json[])
  return JSON.stringify(blocks.filter(({ type }) => type === 'text'))
}
