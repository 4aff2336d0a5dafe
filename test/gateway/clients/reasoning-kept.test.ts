/** Reasoning in worker threads, in the store, and where nothing may be stored. */
import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'
import type { LoopClient } from '../../support/reasoning/clients.ts'
import { Loop, loopClients } from '../../support/reasoning/clients.ts'
import { allVoices as voices } from '../../support/reasoning/interleaved-voices.ts'
import { createReasoningModel } from '../../support/reasoning/model.ts'
import type { StagedUpstream } from '../../support/reasoning/stage.ts'
import { openStage } from '../../support/reasoning/stage.ts'

function upstream(voice: string, name: string): StagedUpstream {
  const spoken = voices[voice] as (typeof voices)[string]
  return { name, voice: spoken, model: createReasoningModel(spoken, name) }
}

function clientNamed(name: string): LoopClient {
  return loopClients.find(client => client.name === name) as LoopClient
}

const workerFile = await buildWorkerFile()

test.each([
  ['openai, Chat', 'messages'],
  ['openai, Chat, without reasoning', 'messages'],
  ['openai, Chat, streamed, without reasoning', 'responses'],
  ['openai, Responses, without reasoning', 'messages, interleaved'],
  ['openai, Responses, streamed, without reasoning', 'reasoning_content'],
  ['a client like Codex', 'reasoning_content'],
  ['@anthropic-ai/sdk', 'reasoning and details'],
])('In worker threads, %s returns the reasoning of %s.', async (name, voice) => {
  const a = upstream(voice, 'a')
  const stage = await openStage([a], { workerFile, limits: { inlineBytes: 1, inlineNodes: 1 } })
  const loop = new Loop(clientNamed(name))
  await loop.run(stage).catch((error: unknown) => expect(a.model.refusals).toEqual([String(error)]))
  expect(loop.answers).toHaveLength(6)
})

test.each(['openai, Chat', 'openai, Responses', 'openai, Responses, streamed'])(
  'A request that says "store: false" leaves no reasoning in the store, and its envelope works. (%s)',
  async name => {
    const a = upstream('messages', 'a')
    const stage = await openStage([a])
    const honest = new Loop(clientNamed(name), { store: false })
    await honest.run(stage)
    expect(honest.answers).toHaveLength(6)
    const forgetful = new Loop(clientNamed(`${name}, without reasoning`), { store: false })
    await expect(forgetful.run(stage)).rejects.toThrow()
    expect(a.model.refusals).toHaveLength(1)
  },
)

test.each([
  ['openai, Responses', {}, 0],
  ['openai, Responses', { store: false }, 0],
  ['@anthropic-ai/sdk', {}, 0],
  ['openai, Responses, without reasoning', {}, 5],
])('A history that carries its reasoning costs no read of the store. (%s, %j)', async (name, more, reads) => {
  const a = upstream('messages', 'a')
  const store = createMemoryStore()
  const getItems = vi.spyOn(store, 'getItems')
  const stage = await openStage([a], { store })
  const loop = new Loop(clientNamed(name), more)
  await loop.run(stage)
  expect(loop.answers).toHaveLength(6)
  expect(getItems).toHaveBeenCalledTimes(reads)
})

test('Items without reasoning that go on from a stored response need no kept reasoning.', async () => {
  const a = upstream('messages', 'a')
  const store = createMemoryStore()
  const getItems = vi.spyOn(store, 'getItems')
  const stage = await openStage([a], { store })
  const first = new Loop(clientNamed('openai, Responses'))
  await first.run(stage, 1)
  const { id, output } = first.answers[0] as { id: string; output: { type: string; call_id: string }[] }
  const calls = output.filter(({ type }) => type === 'function_call')
  const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'rain' }))
  const next = new Loop(clientNamed('openai, Responses'), { previous_response_id: id, input: results })
  await next.run(stage, 1)
  expect(a.model.refusals).toEqual([])
  expect(getItems).not.toHaveBeenCalled()
})

test('Kept reasoning lives as long as a stored response, and is found only for its own client.', async () => {
  const a = upstream('messages', 'a')
  const stage = await openStage([a], { ttlMs: -1 })
  const expired = new Loop(clientNamed('openai, Chat, without reasoning'))
  await expect(expired.run(stage)).rejects.toThrow()
  await stage.restart({ ttlMs: 3_600_000 })
  const loop = new Loop(clientNamed('openai, Chat, without reasoning'))
  await loop.run({ baseURL: stage.baseURL, key: 'ann' }, 1)
  await expect(loop.run({ baseURL: stage.baseURL, key: 'bob' }, 1)).rejects.toThrow()
  await loop.run({ baseURL: stage.baseURL, key: 'ann' })
  expect(loop.answers).toHaveLength(6)
})

test('Kept reasoning is not found for a call that the client has changed.', async () => {
  const a = upstream('messages', 'a')
  const stage = await openStage([a])
  const loop = new Loop(clientNamed('openai, Chat, without reasoning'))
  await loop.run(stage, 1)
  loop.request = JSON.parse(JSON.stringify(loop.request).replaceAll('Ærø', 'Fanø'))
  await expect(loop.run(stage, 1)).rejects.toThrow('The reasoning of call_a_0 is []')
})

test('Upstreams and clients whose calls have the same ids are kept apart.', async () => {
  const voice = voices.messages as (typeof voices)[string]
  const [a, b] = ['a', 'b'].map(name => ({
    name,
    voice,
    model: createReasoningModel(voice, name, true, 'same'),
  })) as [StagedUpstream, StagedUpstream]
  const { baseURL } = await openStage([a, b])
  const loops = [
    ['ann', 'a'],
    ['ann', 'b'],
    ['bob', 'a'],
  ].map(
    ([key = '', model]) => [key, model, new Loop(clientNamed('openai, Chat, without reasoning'))] as const,
  )
  for (let round = 0; round < 6; round++) {
    for (const [key, model, loop] of loops) await loop.run({ baseURL, key }, 1, model)
  }
  expect([a, b].flatMap(({ model }) => model.refusals)).toEqual([])
  expect(loops.map(([, , loop]) => loop.answers.length)).toEqual([6, 6, 6])
})

test('Gateways with one key in their configurations need no common store.', async () => {
  const a = upstream('messages', 'a')
  const sealKeys = ['the new key of all of these gateways', 'an earlier key of all of these gateways']
  const stage = await openStage([a], { sealKeys: sealKeys.slice(1), store: createMemoryStore() })
  const loop = new Loop(clientNamed('openai, Responses'), { store: false })
  await loop.run(stage, 2)
  await stage.restart({ sealKeys, store: createMemoryStore() })
  await loop.run(stage)
  expect(a.model.refusals).toEqual([])
  expect(loop.answers).toHaveLength(6)
})
