/** Clients of Messages that have their conversation summarised, over upstreams that make no summaries. */
import { calls, fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
const user = (content: unknown): Json => ({ role: 'user', content })
const assistant = (content: unknown): Json => ({ role: 'assistant', content })
const history: readonly Json[] = [
  user('What colour is the sky?'),
  assistant([{ type: 'tool_use', id: 'toolu_a', name: 'look', input: { at: 'sky' } }]),
  user([{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'blue' }]),
  assistant('Blue.'),
]
const summary = 'The user asked for the colour of the sky, which is blue.'
const long = [...history.slice(0, 3), assistant('word '.repeat(8000)), user('And now?')]
const edit = { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 4000 } }

const upstreams = [
  { to: 'chat', upstream: {} },
  { to: 'messages', upstream: { profile: { compacts: false } } },
  { to: 'responses', upstream: {} },
] as const

const textOf = (request: { readonly body: Json } | undefined): string => JSON.stringify(request?.body)
const request = (more: Json): Json => ({ model: 'm', max_tokens: 100, system: 'Be brief.', tools, ...more })

/** The message that the events of a stream make. */
function messageOf(text: string): Json {
  let message: Json = {}
  const content: Json[] = []
  for (const line of text.split('\n').filter(each => each.startsWith('data: '))) {
    const { type, index, delta = {}, content_block, message: begun, usage } = JSON.parse(line.slice(6))
    if (type === 'message_start') message = begun
    if (type === 'content_block_start') content[index] = content_block
    if (type === 'content_block_delta' && delta.type === 'text_delta')
      content[index] = { ...content[index], text: `${content[index]?.text}${delta.text}` }
    if (type === 'content_block_delta' && delta.type === 'compaction_delta')
      content[index] = { ...content[index], ...delta, type: 'compaction' }
    if (type === 'message_delta') message = { ...message, ...delta, usage }
  }
  return { ...message, content }
}

describe.each(upstreams)('over an upstream on $to', ({ to, upstream }) => {
  describe.each([false, true])('stream: %s', stream => {
    const open = (script: Parameters<typeof openHarness>[1]) => {
      const harness = openHarness(to, script, { upstream })
      const ask = async (more: Json): Promise<Json> => {
        const told = await harness.post('/v1/messages', request({ stream, ...more }))
        expect(told.status, told.text).toBe(200)
        return stream ? messageOf(told.text) : told.json()
      }
      return { ...harness, ask }
    }

    test('A client that asks for a summary gets a signed block and nothing else.', async () => {
      const usage = { input: 900, output: 30 }
      const { ask, model, gateway } = open([says(summary, { usage }), says('Yes.')])
      const answer = await ask({ messages: history, compaction: { type: 'summarize' } })
      expect(answer).toMatchObject({
        stop_reason: 'compaction',
        content: [{ type: 'compaction', content: summary, signature: expect.any(String) }],
        usage: {
          output_tokens: 0,
          iterations: [{ type: 'compaction', input_tokens: 900, output_tokens: 30 }],
        },
      })
      expect(model.requests[0]?.body.tools).toBeUndefined()
      await ask({ messages: [assistant(answer.content), user('Sure?')] })
      expect(textOf(model.requests[1])).toContain(`Summary of the conversation so far:\\n\\n${summary}`)
      expect(textOf(model.requests[1])).toContain('Sure?')
      expect(gateway.memoryUsed).toBe(0)
    })

    test('Nothing to summarise is refused with the code that the client of Messages knows.', async () => {
      const { post, model } = openHarness(to, [], { upstream })
      const told = await post('/v1/messages', request({ messages: [], compaction: { type: 'summarize' } }))
      expect(told.status).toBe(400)
      const details = { error_code: 'compaction_nothing_to_summarize' }
      expect(told.json().error).toMatchObject({ type: 'invalid_request_error', details })
      expect(model.requests).toHaveLength(0)
    })

    test('Instructions of the client replace those for the summary.', async () => {
      const { ask, model } = open([says(summary)])
      await ask({ messages: history, compaction: { type: 'summarize', instructions: 'Only colours.' } })
      expect(textOf(model.requests[0])).toContain('Only colours.')
      expect(textOf(model.requests[0])).not.toContain('so that it can be continued')
    })

    test('A summary whose readable text was changed counts as it was made.', async () => {
      const { ask, model } = open([says(summary), says('Yes.')])
      const answer = await ask({ messages: history, compaction: { type: 'summarize' } })
      const [block] = answer.content as readonly Json[]
      await ask({ messages: [assistant([{ ...block, content: 'The sky is green.' }]), user('Sure?')] })
      expect(textOf(model.requests[1])).toContain(summary)
      expect(textOf(model.requests[1])).not.toContain('green')
    })

    test('A conversation over the trigger is compacted first, and goes on from there.', async () => {
      const { ask, model } = open([
        says(summary, { usage: { input: 5000, output: 30 } }),
        calls({ name: 'look', arguments: { at: 'sea' }, id: 'toolu_b' }),
        says('Yes.'),
      ])
      const context_management = { edits: [edit] }
      const first = await ask({ messages: long, context_management })
      expect(first).toMatchObject({
        stop_reason: 'tool_use',
        content: [
          { type: 'compaction', content: summary, encrypted_content: expect.any(String) },
          { type: 'tool_use' },
        ],
        usage: { iterations: [{ type: 'compaction', input_tokens: 5000 }] },
      })
      expect(textOf(model.requests[1])).toContain(summary)
      expect(textOf(model.requests[1])).toContain('And now?')
      expect(textOf(model.requests[1])).not.toContain('word word')
      const result = { type: 'tool_result', tool_use_id: idOf(first), content: 'green' }
      await ask({ messages: [...long, assistant(first.content), user([result])], context_management })
      expect(model.requests).toHaveLength(3)
      expect(textOf(model.requests[2])).toContain(summary)
      expect(textOf(model.requests[2])).toContain('green')
      expect(textOf(model.requests[2])).not.toContain('word word')
    })

    test('A client that wants a pause gets the summary alone, and what it sends next is answered.', async () => {
      const { ask, model } = open([says(summary), says('Yes.')])
      const context_management = { edits: [{ ...edit, pause_after_compaction: true }] }
      const paused = await ask({ messages: long, context_management })
      expect(paused).toMatchObject({ stop_reason: 'compaction', content: [{ type: 'compaction' }] })
      const next = await ask({ messages: [...long, assistant(paused.content)], context_management })
      expect(next).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Yes.' }] })
      expect(textOf(model.requests[1])).toContain('And now?')
    })
  })

  test('A refusal of the request for the summary reaches the client in its own form.', async () => {
    const { post } = openHarness(to, [fails(429, 'Slow down.')], { upstream })
    const told = await post(
      '/v1/messages',
      request({ messages: long, context_management: { edits: [edit] } }),
    )
    expect(told.status).toBe(429)
    expect(told.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } })
    expect(told.text).toContain('The conversation was not compacted')
  })

  test('A flag that the upstream does not know is left out; what its field asks for is done here.', async () => {
    const { post, model } = openHarness(to, [says(summary), says('Dark.')], {
      upstream: { ...upstream, flags: [] },
    })
    const body = request({ messages: long, context_management: { edits: [edit] } })
    const told = await post('/v1/messages', body, { 'anthropic-beta': 'compact-2026-01-12' })
    expect((told.json().content as Json[]).map(({ type }) => type)).toEqual(['compaction', 'text'])
    expect(model.requests).toHaveLength(2)
    for (const sent of model.requests) {
      expect(sent.headers['anthropic-beta']).toBeUndefined()
      expect(sent.body.context_management).toBeUndefined()
    }
    expect(told.headers['x-toolwire-losses']).toBe('0')
  })

  test('An edit that is below its trigger, or only saves tokens, is no loss.', async () => {
    const { post } = openHarness(to, [says('Yes.')], { upstream })
    const context_management = { edits: [{ type: 'clear_tool_uses_20250919' }, edit] }
    const told = await post('/v1/messages', request({ messages: history, context_management }))
    expect(told.status, told.text).toBe(200)
    expect(told.headers['x-toolwire-losses']).toBe('0')
  })
})

function idOf({ content }: Json): unknown {
  return (content as readonly Json[]).find(({ type }) => type === 'tool_use')?.id
}
