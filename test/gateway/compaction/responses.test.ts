/** Clients of Responses that have their conversation summarised, over upstreams that make no summaries. */
import { defineTool } from '@toolwire/core'
import { calls, says } from '@toolwire/core/testing'
import { describe, expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { openTestSocket } from '../../support/gateway/socket.ts'
import type { Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness, until } from '../../support/open-responses/gateway.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]
const look = calls({ name: 'look', arguments: { at: 'sky' }, id: 'call_a' })
const trigger = { type: 'compaction_trigger' }
const user = (content: string): Json => ({ role: 'user', content })
const history: readonly Json[] = [
  user('What colour is the sky?'),
  { type: 'function_call', call_id: 'call_a', name: 'look', arguments: '{"at":"sky"}' },
  { type: 'function_call_output', call_id: 'call_a', output: 'blue' },
  { role: 'assistant', content: 'Blue.' },
]
const summary = 'The user asked for the colour of the sky, which is blue.'

const upstreams = [
  { to: 'chat', upstream: {} },
  { to: 'messages', upstream: {} },
  { to: 'responses', upstream: { state: 'gateway' } },
] as const

function watchedStore(): { readonly store: Store; readonly saved: readonly string[] } {
  const store = createMemoryStore()
  const saved: string[] = []
  const save = store.saveResponse.bind(store)
  vi.spyOn(store, 'saveResponse').mockImplementation(response => {
    saved.push(response.id)
    return save(response)
  })
  return { saved, store }
}

const itemsOf = (response: Json): readonly Json[] => response.output as Json[]
const textOf = (request: { readonly body: Json } | undefined): string => JSON.stringify(request?.body)

describe.each(upstreams)('over an upstream on $to', ({ to, upstream }) => {
  test('A client gets a shorter conversation, and continues it.', async () => {
    const { post, model, gateway, facts } = openHarness(to, [says(summary), says('Yes.')], { upstream })
    const body = {
      model: 'm',
      instructions: 'Be brief.',
      input: history,
      tools,
      reasoning: { effort: 'low' },
    }
    const told = await post('/v1/responses/compact', body)
    expect(told.status, told.text).toBe(200)
    const compacted = told.json()
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      usage: { output_tokens: expect.anything() },
    })
    expect(itemsOf(compacted)).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What colour is the sky?' }] },
      { type: 'compaction', id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) },
    ])
    expect(told.text).not.toContain(summary)
    expect(model.requests[0]?.body.tools).toBeUndefined()
    expect(textOf(model.requests[0])).toContain('Blue.')
    const next = await post('/v1/responses', { ...body, input: [...itemsOf(compacted), user('Sure?')] })
    expect(next.status, next.text).toBe(200)
    expect(textOf(model.requests[1])).toContain(summary)
    expect(textOf(model.requests[1])).toContain('What colour is the sky?')
    expect(textOf(model.requests[1])).not.toContain('call_a')
    expect(facts[0]).toMatchObject({ status: 200, usage: { input: expect.any(Number) } })
    expect(gateway.memoryUsed).toBe(0)
  })

  test('A text is a conversation too, and nothing of a shorter one is stored.', async () => {
    const { store, saved } = watchedStore()
    const { post, get } = openHarness(to, [says(summary)], { upstream, store })
    const told = await post('/v1/responses/compact', { model: 'm', input: 'What colour is the sky?' })
    expect(itemsOf(told.json()).map(({ type }) => type)).toEqual(['message', 'compaction'])
    expect((await get(`/v1/responses/${told.json().id}`)).status).toBe(404)
    expect(saved).toEqual([])
  })

  test.each([false, true])('A trigger gets exactly one item, stream: %s.', async stream => {
    const { post, model } = openHarness(to, [says(summary), says('Yes.')], { upstream })
    const body = { model: 'm', input: [...history, trigger], tools, stream, store: false }
    const told = await post('/v1/responses', body)
    expect(told.status, told.text).toBe(200)
    const events = stream ? eventsOf(told.text) : []
    const response = stream ? (events.at(-1)?.response as Json) : told.json()
    expect(response).toMatchObject({ status: 'completed', output: [{ type: 'compaction' }] })
    if (stream) {
      expect(events.map(({ type }) => type)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.compaction.compacting',
        'response.output_item.done',
        'response.completed',
      ])
    }
    const item = itemsOf(response)[0] as Json
    await post('/v1/responses', { model: 'm', input: [item, user('Sure?')], tools, store: false })
    expect(textOf(model.requests[1])).toContain(summary)
    expect(textOf(model.requests[1])).toContain('Sure?')
  })

  test('A stored chain is compacted and goes on from there, with its last turns.', async () => {
    const long = 'word '.repeat(5000)
    const script = [look, says(long), says('Last answer.'), says(summary), says('Yes.')]
    const { post, model } = openHarness(to, script, { upstream })
    const ask = async (more: Json): Promise<Json> => {
      const told = await post('/v1/responses', { model: 'm', tools, ...more })
      expect(told.status, told.text).toBe(200)
      return told.json()
    }
    const first = await ask({ input: 'What colour is the sky?' })
    const output = { type: 'function_call_output', call_id: 'call_a', output: 'blue' }
    const second = await ask({ previous_response_id: first.id, input: [output] })
    const third = await ask({ previous_response_id: second.id, input: 'Last question.' })
    const compacted = await ask({ previous_response_id: third.id, input: [trigger] })
    expect(itemsOf(compacted)).toMatchObject([{ type: 'compaction' }])
    await ask({ previous_response_id: compacted.id, input: 'Sure?' })
    const sent = textOf(model.requests[4])
    for (const kept of [summary, 'Last question.', 'Last answer.', 'Sure?']) expect(sent).toContain(kept)
    for (const gone of ['What colour', 'word word', 'call_a']) expect(sent).not.toContain(gone)
  })

  test('A socket compacts a conversation that only the connection remembers.', async () => {
    const script = [says('Blue.'), says(summary), says('Yes.')]
    const { gateway, model } = openHarness(to, script, { upstream })
    const socket = await openTestSocket(gateway)
    const ask = async (more: Json): Promise<Json> => {
      socket.send({ type: 'response.create', model: 'm', store: false, ...more })
      return (await socket.response()).at(-1)?.response as Json
    }
    const first = await ask({ input: [user('What colour is the sky?')] })
    const compacted = await ask({ previous_response_id: first.id, input: [trigger] })
    expect(itemsOf(compacted)).toMatchObject([{ type: 'compaction' }])
    await ask({ previous_response_id: compacted.id, input: [user('Sure?')] })
    expect(textOf(model.requests[2])).toContain(summary)
    socket.disconnect()
  })

  test('A summary that does not end is stopped at a megabyte.', async () => {
    const { post, model } = openHarness(to, [says('word '.repeat(300_000)), says('Yes.')], { upstream })
    const told = await post('/v1/responses', {
      model: 'm',
      context_management: [{ type: 'compaction', compact_threshold: 4000 }],
      input: [user('Read this.'), { role: 'assistant', content: 'word '.repeat(8000) }, user('And now?')],
    })
    expect(told.status).toBe(502)
    expect(told.text).toContain('upstream_too_large')
    expect(model.requests).toHaveLength(1)
  })

  test.each([false, true])(
    'A conversation over the threshold is compacted first, stream: %s.',
    async stream => {
      const script = [
        says(summary, { usage: { input: 5000, output: 30 } }),
        says('Yes.', { usage: { input: 70, output: 2 } }),
        says('No.'),
      ]
      const { post, model } = openHarness(to, script, { upstream })
      const early = [user('Read this.'), { role: 'assistant', content: 'word '.repeat(8000) }]
      const body = {
        model: 'm',
        tools,
        stream,
        context_management: [{ type: 'compaction', compact_threshold: 4000 }],
      }
      const ask = async (more: Json): Promise<Json> => {
        const told = await post('/v1/responses', { ...body, ...more })
        expect(told.status, told.text).toBe(200)
        return stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
      }
      const first = await ask({ input: [...early, user('And now?')] })
      expect(itemsOf(first).map(({ type }) => type)).toEqual(['compaction', 'message'])
      expect(model.requests).toHaveLength(2)
      expect(model.requests[0]?.body.tools).toBeUndefined()
      expect(model.requests[1]?.body.tools).toHaveLength(1)
      expect(textOf(model.requests[1])).toContain(summary)
      expect(textOf(model.requests[1])).toContain('And now?')
      expect(textOf(model.requests[1])).not.toContain('word word')
      expect(first.usage).toMatchObject({ input_tokens: 5070, output_tokens: 32 })
      await ask({ previous_response_id: first.id, input: 'Sure?' })
      // What the summary stands for does not count any more.
      expect(model.requests).toHaveLength(3)
      expect(textOf(model.requests[2])).toContain(summary)
      expect(textOf(model.requests[2])).not.toContain('word word')
    },
  )

  test('A tool that the gateway runs gets its round after the summary.', async () => {
    const script = [says(summary), calls({ name: 'tell', arguments: {}, id: 'call_t' }), says('Noon.')]
    const tell = defineTool({
      name: 'tell',
      description: 'The time.',
      parameters: { type: 'object' },
      handler: () => 'It is noon.',
    })
    const { post, model } = openHarness(to, script, { upstream, tools: [tell] })
    const input = [user('Read this.'), { role: 'assistant', content: 'word '.repeat(8000) }, user('Time?')]
    const context_management = [{ type: 'compaction', compact_threshold: 4000 }]
    const told = await post('/v1/responses', { model: 'm', input, context_management })
    expect(told.json()).toMatchObject({ status: 'completed' })
    expect(itemsOf(told.json()).filter(({ type }) => type === 'compaction')).toHaveLength(1)
    expect(model.requests).toHaveLength(3)
    expect(textOf(model.requests[2])).toContain(summary)
    expect(textOf(model.requests[2])).toContain('It is noon.')
    expect(textOf(model.requests[2])).not.toContain('summary_')
  })

  test('A conversation below the threshold is left alone.', async () => {
    const { post, model } = openHarness(to, [says('Yes.')], { upstream })
    const context_management = [{ type: 'compaction', compact_threshold: 100_000 }]
    const told = await post('/v1/responses', { model: 'm', input: history, tools, context_management })
    expect(itemsOf(told.json()).map(({ type }) => type)).toEqual(['message'])
    expect(told.headers['x-toolwire-losses']).toBe('0')
    expect(textOf(model.requests[0])).not.toContain('context_management')
  })

  test('Work in the background is compacted too.', async () => {
    const { post, get } = openHarness(to, [says(summary), says('Yes.')], { upstream })
    const body = {
      model: 'm',
      background: true,
      input: [user('Read this.'), { role: 'assistant', content: 'word '.repeat(8000) }, user('And now?')],
      context_management: [{ type: 'compaction', compact_threshold: 4000 }],
    }
    const { id } = (await post('/v1/responses', body)).json()
    const done = await until(
      () => get(`/v1/responses/${id}`),
      ({ status }) => status === 'completed' || status === 'failed',
    )
    expect(itemsOf(done).map(({ type }) => type)).toEqual(['compaction', 'message'])
  })

  test('A summary that was made for one client is a note for any other.', async () => {
    const keys = ['key-of-ann', 'key-of-bob'] as const
    const { gateway, model } = openHarness(to, [says(summary), says('Yes.'), says('Yes.')], {
      upstream,
      keys,
    })
    const [ann, bob] = [clientOf(gateway, keys[0]), clientOf(gateway, keys[1])]
    const told = await ann.post('/v1/responses', { model: 'm', input: [...history, trigger] })
    const body = { model: 'm', input: [itemsOf(told.json())[0], user('Sure?')] }
    expect((await ann.post('/v1/responses', body)).headers['x-toolwire-losses']).toBe('0')
    expect((await bob.post('/v1/responses', body)).headers['x-toolwire-losses']).toBe('1')
    expect(textOf(model.requests[1])).toContain(summary)
    expect(textOf(model.requests[2])).not.toContain(summary)
    expect(textOf(model.requests[2])).toContain('which cannot be read')
  })

  test.each([
    ['no summary', says('')],
    ['half a summary', says('The user asked', { finish: 'length' })],
  ])('A model that writes %s is a clear error, and nothing is stored.', async (_, written) => {
    const { store, saved } = watchedStore()
    const { post } = openHarness(to, () => written, { upstream, store })
    const compact = await post('/v1/responses/compact', { model: 'm', input: history })
    expect(compact.status).toBe(502)
    expect(compact.json().error).toMatchObject({ code: 'compaction_failed' })
    const input = [user('Read this.'), { role: 'assistant', content: 'word '.repeat(8000) }, user('And?')]
    const context_management = [{ type: 'compaction', compact_threshold: 4000 }]
    const automatic = await post('/v1/responses', { model: 'm', input, context_management, stream: true })
    expect(automatic.status).toBe(502)
    expect(automatic.json().error).toMatchObject({ code: 'compaction_failed' })
    const triggered = await post('/v1/responses', { model: 'm', input: [...history, trigger], store: false })
    expect(triggered.json()).toMatchObject({ status: 'failed', error: { code: 'compaction_failed' } })
    expect(saved).toEqual([])
  })

  test('Nothing to summarise is refused before anybody is asked.', async () => {
    const { post, model } = openHarness(to, [], { upstream })
    const told = await post('/v1/responses/compact', { model: 'm', instructions: 'Be brief.', input: [] })
    expect(told.status).toBe(400)
    expect(told.json().error).toMatchObject({ code: 'compaction_empty' })
    expect(model.requests).toHaveLength(0)
  })
})
