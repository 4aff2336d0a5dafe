/** An upstream that speaks several wires is asked on the one that can carry the request, the client's own first. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { builtInWires } from '@toolwire/core'
import { createScriptedModel, says } from '@toolwire/core/testing'
import { describe, expect, test, vi } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { GatewayClient } from '../../support/open-responses/gateway.ts'
import { clientOf, transportTo } from '../../support/open-responses/gateway.ts'
import { wires } from '../../support/wires.ts'

type Json = Record<string, unknown>

const paths = { chat: '/chat/completions', responses: '/responses', messages: '/messages' } as const

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

interface Setting extends GatewayClient {
  readonly sent: readonly Sent[]
}

/** A server that answers on every wire. */
function open(upstream: Partial<Upstream>, losses: 'allow' | 'errors' | 'strict' = 'errors'): Setting {
  const sent: Sent[] = []
  const models = wires.map(wire => createScriptedModel({ wire, script: Array(9).fill(says('Done.')) }))
  const transport = transportTo(async (input, init) => {
    const url = String(input)
    sent.push({
      url,
      headers: init?.headers as Record<string, string>,
      body: JSON.parse(Buffer.from(init?.body as string).toString()) as Json,
    })
    const model = models[wires.findIndex(wire => url.endsWith(paths[wire]))]
    if (model === undefined) throw new Error(`Nothing is served at ${url}.`)
    return model.fetch(input, init)
  })
  const gateway = createGateway({
    store: createMemoryStore(),
    losses,
    upstreams: [
      { name: 'all', wire: 'chat', baseUrl: 'http://upstream.test/v1', retries: 0, transport, ...upstream },
    ],
  })
  return { sent, ...clientOf(gateway) }
}

const schema = { type: 'object', properties: {} }
const requests: { readonly [W in Wire]: Json } = {
  chat: {
    messages: [{ role: 'user', content: 'Hi.' }],
    tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
  },
  responses: { input: 'Hi.', tools: [{ type: 'function', name: 'look', parameters: schema }] },
  messages: {
    max_tokens: 99,
    messages: [{ role: 'user', content: 'Hi.' }],
    tools: [{ name: 'look', input_schema: schema }],
  },
}

async function wireFor(client: Wire, upstream: Partial<Upstream>, more: Json): Promise<string> {
  const { post, sent } = open(upstream)
  const answer = await post(`/v1${paths[client]}`, { model: 'm', ...requests[client], ...more })
  expect(answer.status, answer.text).toBe(200)
  return new URL(sent.at(-1)?.url ?? '').pathname
}

describe('an upstream that speaks several wires', () => {
  test.each(wires)('A client of %s is served on its own wire, byte for byte.', async client => {
    const { post, sent } = open({ speaks: wires })
    const body = { model: 'm', ...requests[client] }
    expect((await post(`/v1${paths[client]}`, body)).status).toBe(200)
    expect(sent[0]?.url).toBe(`http://upstream.test/v1${paths[client]}`)
    expect(sent[0]?.body).toEqual(body)
  })

  test('A client of another wire is served on the preferred one.', async () => {
    const upstream = { wire: 'responses', speaks: ['responses', 'chat'] }
    expect(await wireFor('messages', upstream, {})).toBe('/v1/responses')
  })

  const search = { type: 'web_search_20250305', name: 'web_search' }
  const custom = { type: 'custom', name: 'patch', format: { type: 'text' } }
  test.each<[Wire, Wire[], string, Json, Wire]>([
    ['chat', ['messages', 'responses'], 'functions', {}, 'responses'],
    ['responses', ['messages', 'chat'], 'functions', {}, 'chat'],
    ['messages', ['chat', 'responses'], 'functions', {}, 'chat'],
    ['messages', ['chat', 'responses'], 'a hosted search', { tools: [search] }, 'responses'],
    ['messages', ['responses', 'chat'], 'a hosted search', { tools: [search] }, 'responses'],
    [
      'messages',
      ['chat', 'responses'],
      'a forced search',
      { tools: [search], tool_choice: { type: 'any' } },
      'responses',
    ],
    ['responses', ['chat', 'messages'], 'a hosted search', { tools: [{ type: 'web_search' }] }, 'messages'],
    ['responses', ['messages', 'chat'], 'a custom tool', { tools: [custom] }, 'chat'],
    ['chat', ['messages', 'responses'], 'a hosted search', { web_search_options: {} }, 'responses'],
    ['messages', ['chat', 'responses', 'messages'], 'a hosted search', { tools: [search] }, 'messages'],
  ])(
    'A client of %s is served by an upstream of %j, with %s, on the wire that loses least and then on the nearest.',
    async (client, speaks, _, more, wire) => {
      const [first = 'chat'] = speaks
      expect(await wireFor(client, { wire: first, speaks }, more)).toBe(`/v1${paths[wire]}`)
    },
  )

  test('A tool that the settings leave out draws no request to another wire.', async () => {
    const upstream: Partial<Upstream> = { speaks: ['chat', 'responses'], hostedTools: { web_search: 'drop' } }
    expect(await wireFor('messages', upstream, { tools: [search] })).toBe('/v1/chat/completions')
  })

  test('A request whose tools are functions is read once.', async () => {
    const { conversation } = builtInWires.messages
    const decode = vi.spyOn(conversation, 'decodeRequest')
    await wireFor('messages', { speaks: ['chat', 'responses'] }, {})
    expect(decode).toHaveBeenCalledTimes(1)
    decode.mockRestore()
  })

  test.each([
    ['gpt-5.6', {}, '/v1/responses'],
    ['gpt-5.6', { reasoning_effort: 'low' }, '/v1/responses'],
    ['gpt-5.6', { reasoning_effort: 'none' }, '/v1/chat/completions'],
    ['gpt-5.6', { tools: undefined }, '/v1/chat/completions'],
    ['gpt-6-astra', {}, '/v1/responses'],
    ['gpt-4.1', {}, '/v1/chat/completions'],
  ])('A Chat request for %s with %j and perhaps tools goes to %s.', async (model, more, path) => {
    expect(await wireFor('chat', { speaks: ['chat', 'responses'] }, { model, ...more })).toBe(path)
  })

  test('A fact about a model that the configuration overrides does not count.', async () => {
    const upstream: Partial<Upstream> = {
      speaks: ['chat', 'responses'],
      profile: { models: { 'gpt-5.6': { functions: 'always' } } },
    }
    expect(await wireFor('chat', upstream, { model: 'gpt-5.6-sol' })).toBe('/v1/chat/completions')
  })

  test('A request that the first wire cannot carry goes on the next that can.', async () => {
    const forced = { model: 'm', tool_choice: 'required' }
    const upstream: Partial<Upstream> = {
      wire: 'messages',
      speaks: ['messages', 'chat'],
      rename: { m: 'claude-opus-5-5' },
    }
    expect(await wireFor('responses', upstream, forced)).toBe('/v1/chat/completions')
    const { post } = open({ ...upstream, speaks: ['messages'] })
    const refused = await post('/v1/responses', { ...requests.responses, ...forced })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('tool_choice_refused')
  })

  test('A wire that is served elsewhere has an address of its own.', async () => {
    const { post, sent } = open({ speaks: wires, baseUrls: { messages: 'http://upstream.test/other/v1' } })
    await post('/v1/messages', { model: 'm', ...requests.messages })
    await post('/v1/responses', { model: 'm', ...requests.responses })
    expect(sent.map(({ url }) => url)).toEqual([
      'http://upstream.test/other/v1/messages',
      'http://upstream.test/v1/responses',
    ])
  })
})

describe('a host that is known', () => {
  test('A Chat client of Mistral sends no field that Mistral refuses.', async () => {
    const { post, sent } = open({ preset: 'mistral' })
    await post('/v1/chat/completions', {
      model: 'm',
      ...requests.chat,
      store: false,
      user: 'me',
      max_completion_tokens: 9,
    })
    expect(sent[0]?.body).toEqual({ model: 'm', ...requests.chat, max_tokens: 9 })
  })

  test('Mistral, which refuses fields for reasoning, is sent none.', async () => {
    const { post, sent } = open({ preset: 'mistral' })
    const thought = { role: 'assistant', content: 'Blue.', reasoning_content: 'The sky.' }
    const asked = { role: 'user', content: 'And now?' }
    await post('/v1/chat/completions', { model: 'm', messages: [asked, thought, asked] })
    await post('/v1/responses', {
      model: 'm',
      input: [
        asked,
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'The sky.' }] },
        { role: 'assistant', content: 'Blue.' },
        asked,
      ],
    })
    expect(sent.map(({ body }) => (body.messages as unknown[])[1])).toEqual([
      { role: 'assistant', content: 'Blue.' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'The sky.' },
          { type: 'text', text: 'Blue.' },
        ],
      },
    ])
  })

  test('What a client of OpenAI’s own wire sends to OpenAI is not changed.', async () => {
    const { post, sent } = open({ preset: 'openai' })
    const body = { model: 'm', ...requests.chat, user: 'x'.repeat(150) }
    await post('/v1/chat/completions', body)
    expect(sent[0]?.body).toEqual(body)
  })

  test('An upstream that is asked on a newer version of its wire is sent what that version takes.', async () => {
    const body = { model: 'm', ...requests.chat, temperature: 0.2 }
    for (const [version, temperature] of [
      ['2023-06-01', 0.2],
      ['2026-10-21', undefined],
    ] as const) {
      const { post, sent } = open({ wire: 'messages', headers: { 'Anthropic-Version': version } })
      await post('/v1/chat/completions', body)
      expect(sent[0]?.headers['anthropic-version']).toBe(version)
      expect(sent[0]?.body.temperature).toBe(temperature)
    }
  })

  test('The address tells the host, and "none" that it must not.', async () => {
    const baseUrl = 'http://127.0.0.1:11434/v1'
    const body = { model: 'm', ...requests.messages }
    for (const [preset, field] of [
      [{}, 'max_tokens'],
      [{ preset: 'none' }, 'max_completion_tokens'],
    ] as const) {
      const { post, sent } = open({ baseUrl, ...preset })
      await post('/v1/messages', body)
      expect(sent[0]?.body).toHaveProperty(field, 99)
    }
  })
})

describe('flags of a client of Messages', () => {
  const flags = 'context-management-2025-06-27, interleaved-thinking-2025-05-14,mcp-client-2025-11-20'
  const edits = { edits: [{ type: 'clear_tool_uses_20250919' }] }
  const body = { model: 'm', ...requests.messages, context_management: edits, mcp_servers: [] }
  const post = async (upstream: Partial<Upstream>, losses?: 'strict') => {
    const { sent, post: send } = open({ wire: 'messages', ...upstream }, losses)
    const answer = await send('/v1/messages', body, { 'anthropic-beta': flags })
    return { answer, sent: sent[0] }
  }

  test('Where nothing is known of an upstream, all flags are sent on.', async () => {
    const { sent } = await post({})
    expect(sent?.headers['anthropic-beta']).toBe(flags)
    expect(sent?.body).toEqual(body)
  })

  test('A flag that the upstream does not know is left out with the fields that belong to it.', async () => {
    const { sent, answer } = await post({ flags: ['mcp-client-2025-11-20'] })
    expect(sent?.headers['anthropic-beta']).toBe('mcp-client-2025-11-20')
    const { context_management: _, ...kept } = body
    expect(sent?.body).toEqual(kept)
    expect(answer.headers['x-toolwire-losses']).toBe('1')
  })

  test('Fields inside of others and in the history go with their flags too, and changed tools into the list.', async () => {
    const schema = { type: 'object', properties: {} }
    const tool = { type: 'tool_definition', definition: { name: 'new', input_schema: schema } }
    const user = { role: 'user', content: 'Hi' }
    const sentFlags = [
      'task-budgets-2026-03-13',
      'mid-conversation-output-config-2026-07-01',
      'mid-conversation-system-clear-at-2026-08-21',
      'mid-conversation-tool-changes-2026-07-01',
    ].join(',')
    const changed = {
      model: 'm',
      max_tokens: 9,
      output_config: { effort: 'low', task_budget: { type: 'tokens', total: 5 } },
      messages: [
        user,
        { role: 'system', output_config: { effort: 'max' } },
        { role: 'system', content: 'A note.', clear_at: 'never' },
        { role: 'system', content: [{ type: 'tool_addition', tool }] },
      ],
    }
    const { sent, post: send } = open({ wire: 'messages', flags: ['compact-2026-01-12'] })
    await send('/v1/messages', changed, { 'anthropic-beta': sentFlags })
    expect(sent[0]?.body).toEqual({
      model: 'm',
      max_tokens: 9,
      output_config: { effort: 'max' },
      tools: [{ name: 'new', input_schema: schema }],
      messages: [user, { role: 'system', content: 'A note.' }],
    })
  })

  test('Without any flag that is known the header is left out, and a strict gateway refuses the loss.', async () => {
    const { sent } = await post({ preset: 'deepseek' })
    expect(sent?.headers).not.toHaveProperty('anthropic-beta')
    expect(sent?.body).toEqual({ model: 'm', ...requests.messages })
    const refused = await post({ flags: [] }, 'strict')
    expect(refused.answer.status).toBe(400)
    expect(refused.answer.text).toContain('context_management')
  })
})

describe('the key of a client that is sent on', () => {
  const keyOf = async (client: Wire, upstream: Partial<Upstream>, headers: Json): Promise<Json> => {
    const { post, sent } = open({ forwardKey: true, ...upstream })
    await post(`/v1${paths[client]}`, { model: 'm', ...requests[client] }, headers)
    const { authorization, 'x-api-key': key } = sent[0]?.headers ?? {}
    return { authorization, key }
  }
  const bearer = { authorization: 'Bearer a-token' }

  test.each(['chat', 'responses', 'messages'] as const)(
    'A Bearer token of a client of %s stays a Bearer token on every wire.',
    async client => {
      for (const wire of wires) {
        expect(await keyOf(client, { wire }, bearer)).toEqual({ ...bearer, key: undefined })
      }
    },
  )

  test('A key in a header of its own stays there, or goes where the upstream’s wire wants it.', async () => {
    const key = { 'x-api-key': 'a-key-of-mine' }
    expect(await keyOf('messages', { wire: 'messages' }, key)).toEqual({ key: 'a-key-of-mine' })
    expect(await keyOf('messages', { wire: 'chat' }, key)).toEqual({ authorization: 'Bearer a-key-of-mine' })
  })

  describe.each(['chat', 'responses'] as const)('of a client of %s to Anthropic', client => {
    const upstream = { wire: 'messages', preset: 'anthropic' }

    test('A key of Anthropic’s goes into the header in which alone Anthropic takes it.', async () => {
      const key = 'sk-ant-api03-of-mine'
      expect(await keyOf(client, upstream, { authorization: `Bearer ${key}` })).toEqual({ key })
    })

    test.each(['sk-ant-oat01-of-mine', 'a-token'])('The Bearer token %s stays one.', async token => {
      const authorization = `Bearer ${token}`
      expect(await keyOf(client, upstream, { authorization })).toEqual({ authorization })
    })
  })

  test('A client of Messages decides itself where Anthropic finds its key.', async () => {
    const upstream = { wire: 'messages', preset: 'anthropic' }
    for (const authorization of ['Bearer a-token', 'Bearer sk-ant-api03-of-mine']) {
      expect(await keyOf('messages', upstream, { authorization })).toEqual({ authorization })
    }
  })
})
