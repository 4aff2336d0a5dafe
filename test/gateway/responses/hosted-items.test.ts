/** What clients are shown of calls that the gateway runs: searches and calls to labelled tools, as providers show them. */
import { defineTool } from '@toolwire/core'
import type { ScriptedTurn } from '@toolwire/core/testing'
import { calls, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { GatewayServerTool } from '../../../packages/toolwire/src/gateway/settings.ts'
import { clients } from '../../support/open-responses/clients.ts'
import type { Harness, HarnessOptions, Json, ReceivedAnswer } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'
import { checkResponse } from '../../support/open-responses/schema.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const upstreams = ['chat', 'messages', 'responses'] as const
const ways = upstreams.flatMap(wire => [false, true].map(stream => ({ wire, stream })))

const query = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } as const

const search = defineTool({
  name: 'web_search',
  description: 'Searches the web.',
  parameters: query,
  handler: ({ query: words }) => `Three pages about ${words}.`,
})

const ticket: GatewayServerTool = {
  ...defineTool({
    name: 'open_ticket',
    parameters: { type: 'object', properties: { title: { type: 'string' } } },
    handler({ title }) {
      if (title === 'bad') throw new Error('No such queue.')
      return `Ticket: ${title}`
    },
  }),
  server: 'helpdesk',
}

const searching: ScriptedTurn = calls({ name: 'web_search', arguments: { query: 'fjords' }, id: 'call_s' })
const opening = (title: string): ScriptedTurn =>
  calls({ name: 'open_ticket', arguments: { title }, id: 'call_t' })

function open(
  wire: (typeof upstreams)[number],
  script: readonly ScriptedTurn[],
  options: HarnessOptions = {},
): Harness {
  const upstream = { state: 'gateway' } as const
  return openHarness(wire, script, { tools: [ticket], hosted: [search], ...options, upstream })
}

function responseOf(told: ReceivedAnswer, stream: boolean): Json {
  expect(told.status, told.text).toBe(200)
  const response = stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
  expect(stream ? checkStream(told.writes) : checkResponse({ ...response, tools: [] })).toEqual([])
  return response
}

const typesOf = (told: ReceivedAnswer): unknown[] => eventsOf(told.text).map(({ type }) => type)

describe.each(ways)('a Responses client, $wire upstream, stream: $stream', ({ wire, stream }) => {
  const base = { model: 'm', stream }

  test('A Responses client gets an mcp_call with its result.', async () => {
    const setting = open(wire, [opening('Printer'), says('Done.')])
    const told = await setting.post('/v1/responses', { ...base, input: 'Open one.' })
    const { output } = responseOf(told, stream) as { output: Json[] }
    expect(output).toMatchObject([
      {
        type: 'mcp_call',
        id: expect.stringMatching(/^mcp_/),
        server_label: 'helpdesk',
        name: 'open_ticket',
        arguments: '{"title":"Printer"}',
        output: 'Ticket: Printer',
        error: null,
        status: 'completed',
      },
      { type: 'message' },
    ])
  })

  test('A Responses client gets the failure of an mcp_call.', async () => {
    const setting = open(wire, [opening('bad'), says('Sorry.')])
    const told = await setting.post('/v1/responses', { ...base, input: 'Open one.' })
    const [item] = responseOf(told, stream).output as Json[]
    expect(item).toMatchObject({ type: 'mcp_call', status: 'failed', output: null })
    expect(JSON.stringify(item?.error)).toContain('No such queue.')
  })

  test('A Responses client that sends its history back shows the model the call and the result again.', async () => {
    const setting = open(wire, [opening('Printer'), says('Done.'), says('Yes.'), says('Yes.')])
    const first = responseOf(await setting.post('/v1/responses', { ...base, input: 'Open one.' }), stream)
    const full = [{ role: 'user', content: 'Open one.' }, ...(first.output as Json[])]
    const input = [...full, { role: 'user', content: 'Sure?' }]
    await setting.post('/v1/responses', { ...base, input })
    await setting.post('/v1/responses', { ...base, input: 'Sure?', previous_response_id: first.id })
    for (const seen of setting.model.requests.slice(2)) {
      if (wire === 'responses') expect(JSON.stringify(seen.body.input)).toContain('Ticket: Printer')
      else
        expect(seen).toMatchObject({
          calls: [{ name: 'open_ticket' }],
          results: [{ text: 'Ticket: Printer' }],
        })
      expect(seen.user).toBe('Sure?')
    }
  })
})

const searchWays = ways.filter(({ wire }) => wire !== 'responses')

describe.each(searchWays)('a hosted web_search, $wire upstream, stream: $stream', ({ wire, stream }) => {
  const body = { model: 'm', stream, input: 'Find fjords.', tools: [{ type: 'web_search' }] }

  /** What the contract of Open Responses has no echo for is not judged here. */
  const outputOf = (told: ReceivedAnswer): Json[] => {
    expect(told.status, told.text).toBe(200)
    const response = stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
    expect(checkResponse({ ...response, tools: [] })).toEqual([])
    return response.output as Json[]
  }

  test('A hosted web search runs in the gateway and appears as a web_search_call.', async () => {
    const setting = open(wire, [searching, says('There are three.')])
    const output = outputOf(await setting.post('/v1/responses', body))
    expect(output).toMatchObject([
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'fjords' } },
      { type: 'message' },
    ])
    expect(setting.model.requests[0]?.toolNames).toContain('web_search')
    expect(setting.model.requests[1]?.results).toMatchObject([{ text: 'Three pages about fjords.' }])
    expect(setting.facts[0]?.toolRuns).toMatchObject([{ name: 'web_search', status: 'ok' }])
  })

  test('A hosted web search runs in the gateway although the upstream has a setting for all hosted tools.', async () => {
    const upstream = { state: 'gateway', hostedTools: 'error' } as const
    const setting = openHarness(wire, [searching, says('There are three.')], { hosted: [search], upstream })
    const output = outputOf(await setting.post('/v1/responses', body))
    expect(output).toMatchObject([{ type: 'web_search_call', status: 'completed' }, { type: 'message' }])
    const tools = [{ type: 'web_search' }, { type: 'image_generation' }]
    const refused = await setting.post('/v1/responses', { ...body, tools })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('image_generation')])
  })

  test('A hosted web search does not run in the gateway where the upstream has a setting for its type.', async () => {
    const upstream = { state: 'gateway', hostedTools: { web_search: 'drop' } } as const
    const setting = openHarness(wire, [says('I do not know.')], { hosted: [search], upstream })
    expect(outputOf(await setting.post('/v1/responses', body))).toMatchObject([{ type: 'message' }])
    expect(setting.model.requests[0]?.toolNames).toEqual([])
  })
})

test.each(['chat', 'messages'] as const)('A web search is streamed event by event, over %s.', async wire => {
  const setting = open(wire, [searching, says('There are three.')])
  const body = { model: 'm', stream: true, input: 'Find fjords.', tools: [{ type: 'web_search' }] }
  expect(typesOf(await setting.post('/v1/responses', body)).slice(2, 7)).toEqual([
    'response.output_item.added',
    'response.web_search_call.in_progress',
    'response.web_search_call.searching',
    'response.web_search_call.completed',
    'response.output_item.done',
  ])
})

test.each(['chat', 'messages'] as const)(
  'web_search is offered only to clients that declare it, over %s.',
  async wire => {
    const setting = open(wire, [says('Hi.')])
    await setting.post('/v1/responses', { model: 'm', input: 'Hi.' })
    expect(setting.model.requests[0]?.toolNames).toEqual(['open_ticket'])
  },
)

test.each(['chat', 'messages'] as const)('An mcp_call is streamed event by event, over %s.', async wire => {
  const setting = open(wire, [opening('Printer'), says('Done.')])
  const told = await setting.post('/v1/responses', { model: 'm', stream: true, input: 'Open one.' })
  expect(typesOf(told).slice(2, 8)).toEqual([
    'response.output_item.added',
    'response.mcp_call.in_progress',
    'response.mcp_call_arguments.delta',
    'response.mcp_call_arguments.done',
    'response.mcp_call.completed',
    'response.output_item.done',
  ])
})

test('A call is streamed before it runs, and its end before the next request to the model.', async () => {
  const told: string[] = []
  const slow: GatewayServerTool = {
    ...defineTool({ name: 'slow', handler: () => void told.push('run') }),
    server: 'helpdesk',
  }
  const script = [calls({ name: 'slow', arguments: {} }), says('Done.')]
  const { gateway } = openHarness('chat', script, { tools: [slow] })
  await gateway.handle(
    {
      method: 'POST',
      target: '/v1/responses',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      signal: new AbortController().signal,
      body: async () => Buffer.from(JSON.stringify({ model: 'm', input: 'x', stream: true })),
    },
    {
      head: () => {},
      write: chunk =>
        told.push(...[...String(chunk).matchAll(/^event: (.*)$/gm)].map(([, name]) => name ?? '')) > 0,
      end: () => {},
      onDrain: () => {},
    },
  )
  const [begun, run, done, next] = [
    told.indexOf('response.mcp_call.in_progress'),
    told.indexOf('run'),
    told.indexOf('response.mcp_call.completed'),
    told.indexOf('response.output_text.delta'),
  ]
  expect([begun, run, done, next]).toEqual([begun, run, done, next].toSorted((a, b) => a - b))
  expect(begun).toBeGreaterThan(0)
})

describe('other clients', () => {
  test.each([false, true])(
    'A Messages client gets mcp_tool_use and its result (stream: %s).',
    async stream => {
      const setting = open('chat', [opening('Printer'), says('Done.')])
      const { path, body: bodyOf, user, read } = clients.messages
      const heard = read(await setting.post(path, bodyOf([user('Open one.')], [], { stream })))
      expect(heard.text).toBe('Done.')
      const blocks = heard.turns[0]?.content as Json[]
      expect(blocks).toMatchObject([
        { type: 'mcp_tool_use', server_name: 'helpdesk', name: 'open_ticket', input: { title: 'Printer' } },
        { type: 'mcp_tool_result', tool_use_id: blocks[0]?.id, is_error: false },
        { type: 'text' },
      ])
    },
  )

  test.each([false, true])(
    'A Chat client gets nothing of a call that the gateway ran (stream: %s).',
    async stream => {
      const setting = open('messages', [opening('Printer'), says('Done.')])
      const { path, body: bodyOf, user, read } = clients.chat
      const told = await setting.post(path, bodyOf([user('Open one.')], [], { stream }))
      expect(read(told)).toMatchObject({ text: 'Done.', calls: [], end: 'stop' })
      expect(told.text).not.toContain('open_ticket')
    },
  )

  test.each(ways)('A web search that a Chat client declares is run by its handler: %j.', async way => {
    const setting = open(way.wire, [searching, says('There are three.')])
    const { path, body: bodyOf, user, read } = clients.chat
    const body = bodyOf([user('Find fjords.')], [], { stream: way.stream, web_search_options: {} })
    const told = await setting.post(path, body)
    expect(read(told)).toMatchObject({ text: 'There are three.', calls: [], end: 'stop' })
    expect(setting.facts[0]?.toolRuns).toMatchObject([{ name: 'web_search', status: 'ok' }])
    expect(setting.model.requests[1]?.results).toMatchObject([{ text: 'Three pages about fjords.' }])
  })
})
