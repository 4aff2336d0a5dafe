/** The list of models in the form of each client, with what is known of each model. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createFetchHandler } from '../../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import type { Json } from '../../support/open-responses/gateway.ts'
import { clientOf, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'

/** Lists as servers write them: vLLM, OpenRouter, and one that says nothing. */
const lists: Readonly<Record<string, readonly Json[]>> = {
  vllm: [{ id: 'qwen3', object: 'model', max_model_len: 32_768 }],
  router: [
    {
      id: 'vendor/model',
      context_length: 200_000,
      max_completion_tokens: 9_000,
      architecture: { input_modalities: ['text', 'image'] },
    },
    { id: 'odd', context_length: 'many', max_tokens: -1, input_modalities: null },
  ],
  plain: [{ id: 'unknown', object: 'model' }],
}

function listing(name: string, more: Partial<Upstream> = {}): Upstream {
  const ask: typeof fetch = async () => Response.json({ object: 'list', data: lists[name] ?? [] })
  return upstreamTo('chat', transportTo(ask), { name, baseUrl: `http://${name}.invalid/v1`, ...more })
}

function open(...upstreams: Upstream[]) {
  const gateway = createGateway({ upstreams, allowedHosts: ['*'] })
  const handler = createFetchHandler(gateway)
  const fetch: typeof globalThis.fetch = (url, init) => handler(new Request(url, init))
  return { ...clientOf(gateway), fetch }
}

const byId = (data: unknown, name = 'id'): Record<string, Json> =>
  Object.fromEntries((data as Json[]).map(entry => [String(entry[name]), entry]))

const claude = upstreamTo(
  'messages',
  transportTo(async () => new Response('', { status: 500 })),
  {
    name: 'anthropic',
    models: ['claude-opus-5'],
    rename: { 'claude-local': 'claude-haiku-4-5' },
  },
)

test('The list of OpenAI’s form says what upstreams and settings know of a model, and nothing that is not known.', async () => {
  const stated = listing('plain', { models: ['unk*'], profile: { contextWindow: 8_192 } })
  const { get } = open(listing('vllm'), listing('router'), stated, claude)
  const models = byId((await get('/v1/models')).json().data)
  expect(models.qwen3).toMatchObject({ object: 'model', owned_by: 'vllm', context_window: 32_768 })
  expect(models['vendor/model']).toMatchObject({
    context_window: 200_000,
    max_output_tokens: 9_000,
    input_modalities: ['text', 'image'],
  })
  expect(models.unknown?.context_window).toBe(8_192)
  expect(models.odd).not.toHaveProperty('context_window')
  expect(models.odd).not.toHaveProperty('max_output_tokens')
  expect(models['claude-opus-5']).toMatchObject({ context_window: 1_000_000, max_output_tokens: 128_000 })
  expect((await get('/v1/models/qwen3')).json()).toEqual(models.qwen3)
})

test('The clients of OpenAI and Anthropic list and find models, page by page.', async () => {
  const { fetch } = open(listing('vllm'), listing('router'), claude)
  const openai = new OpenAI({ apiKey: 'k', baseURL: 'http://gateway/v1', fetch, maxRetries: 0 })
  const names = (await openai.models.list()).data.map(({ id }) => id)
  expect(names).toEqual(['qwen3', 'vendor/model', 'odd', 'claude-opus-5', 'claude-local'])
  const anthropic = new Anthropic({ apiKey: 'k', baseURL: 'http://gateway', fetch, maxRetries: 0 })
  const listed: string[] = []
  for await (const { id } of anthropic.models.list({ limit: 2 })) listed.push(id)
  expect(listed).toEqual(names)
  const found = await anthropic.models.retrieve('claude-opus-5')
  expect(found).toMatchObject({
    type: 'model',
    lifecycle: 'active',
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
    capabilities: {
      image_input: { supported: true },
      effort: { supported: true, high: { supported: true } },
    },
  })
})

test('Claude Code finds a model under a name of its own, shown as what answers.', async () => {
  const { get } = open(claude)
  const told = await get('/v1/models?limit=1000', { 'anthropic-version': '2023-06-01' })
  expect(told.headers['request-id']).toBe(told.headers['x-request-id'])
  const { data, has_more, first_id, last_id } = told.json()
  expect([has_more, first_id, last_id]).toEqual([false, 'claude-opus-5', 'claude-local'])
  expect(byId(data)['claude-local']).toMatchObject({
    display_name: 'claude-haiku-4-5',
    max_input_tokens: 200_000,
    capabilities: { effort: { supported: false }, thinking: { supported: false } },
  })
})

/** Without one of these, Codex 0.169 refuses the whole list. */
const neededByCodex = [
  'slug',
  'display_name',
  'supported_reasoning_levels',
  'shell_type',
  'visibility',
  'supported_in_api',
  'priority',
  'base_instructions',
  'support_verbosity',
  'truncation_policy',
  'experimental_supported_tools',
]

test('Codex gets a list of its own beside the one of OpenAI’s form.', async () => {
  const { get } = open(listing('vllm'), claude)
  const told = (await get('/v1/models?client_version=0.169.0')).json()
  expect(told.data).toEqual((await get('/v1/models')).json().data)
  const models = byId(told.models, 'slug')
  for (const model of Object.values(models))
    for (const field of neededByCodex) expect(model).toHaveProperty(field)
  expect(models.qwen3).toMatchObject({ context_window: 32_768, visibility: 'list' })
  expect(models['claude-local']?.supported_reasoning_levels).toEqual([])
  const efforts = models['claude-opus-5']?.supported_reasoning_levels as Json[]
  expect(efforts.map(({ effort }) => effort)).toContain('high')
  expect(efforts.map(({ effort }) => effort)).not.toContain('max')
  expect((await get('/v1/models')).json()).not.toHaveProperty('models')
})
