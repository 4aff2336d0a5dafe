/** Servers that keep answers are sent only what is new, unless they turn out not to. */
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { runConversation } from '../../packages/core/src/run-conversation.ts'
import type { ConversationEvent } from '../../packages/core/src/runtime/conversation/types.ts'
import { defineTool } from '../../packages/core/src/runtime/tools/define-tool.ts'
import { asking, historyOf, native, resultsOf, speaker, streamed } from './native.ts'

const quick = defineTool({ name: 'quick', description: 'Ends at once.', handler: () => 'done' })
const call = (n: number) => ({ id: `resp_${n}`, calls: [{ id: `call_${n}`, name: 'quick', input: {} }] })
const request = { ...asking('responses', 'Go.'), instructions: 'Be brief.', temperature: 0.5, store: true }
const common = { wire: 'responses', request, tools: [quick], onlyNew: true } as const

const refusals: { readonly [name: string]: object } = {
  'an id it does not know': {
    message: "Previous response with id 'resp_1' not found.",
    type: 'invalid_request_error',
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  },
  'a parameter it does not know': {
    message: "Unsupported parameter: 'previous_response_id' is not supported.",
    type: 'invalid_request_error',
    param: null,
    code: null,
  },
  'a call it does not know': {
    message: 'No tool call found for function call output with call_id call_1.',
    type: 'invalid_request_error',
    param: 'input',
    code: null,
  },
}

describe.each([false, true])('streamed: %s', stream => {
  test('With the id of the last answer only what is new is sent, with tools and settings. [field G03]', async () => {
    const model = speaker('responses', [call(1), call(2), { id: 'resp_3', text: 'Done.' }])
    const result = await runConversation({ ...common, stream, send: model.send })
    expect(result.reason).toBe('answer')
    const [first, second, third] = model.asked
    expect(first).not.toHaveProperty('previous_response_id')
    expect(second).toEqual({
      ...first,
      previous_response_id: 'resp_1',
      input: [{ type: 'function_call_output', call_id: 'call_1', output: 'done' }],
    })
    expect(third).toMatchObject({
      previous_response_id: 'resp_2',
      input: [{ type: 'function_call_output', call_id: 'call_2' }],
    })
    // The state holds everything all the same.
    expect(historyOf(result.state.request).map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'function_call',
      'function_call_output',
      'function_call',
      'function_call_output',
      'message',
    ])

    const more = speaker('responses', [{ id: 'resp_4', text: 'Again.' }])
    await runConversation({
      state: result.state,
      input: 'Once more.',
      tools: [quick],
      onlyNew: true,
      send: more.send,
    })
    expect(more.asked[0]).toMatchObject({
      previous_response_id: 'resp_3',
      input: [{ role: 'user', content: 'Once more.' }],
    })
  })

  const told = Object.entries(refusals).flatMap(([name, error]) =>
    (['as a body', 'with a status', 'thrown by a client'] as const).map(how => ({ name, how, error })),
  )

  test.each(told)(
    'After $name, reported $how, everything is sent, including calls. [field G01]',
    async ({ how, error }) => {
      const body = JSON.stringify({ error })
      const refuse = {
        'as a body': () => ({ error }),
        'with a status': () => new Response(body, { status: how === 'with a status' ? 400 : 404 }),
        'thrown by a client': (asked: object) =>
          new OpenAI({
            apiKey: 'x',
            maxRetries: 0,
            fetch: async () => new Response(body, { status: 404 }),
          }).responses.create(asked as OpenAI.Responses.ResponseCreateParams),
      }[how]
      const events: ConversationEvent[] = []
      const model = speaker('responses', [call(1), refuse, call(2), { id: 'resp_3', text: 'Done.' }])
      const result = await runConversation({
        ...common,
        stream,
        send: model.send,
        onEvent: event => events.push(event),
      })
      expect(result).toMatchObject({ reason: 'answer', rounds: 3, state: { memory: { sendsAll: true } } })
      const [, , whole, after] = model.asked
      for (const full of [whole, after]) expect(full).not.toHaveProperty('previous_response_id')
      expect(historyOf(whole ?? {}).map(({ type, role }) => type ?? role)).toEqual([
        'user',
        'function_call',
        'function_call_output',
      ])
      expect(resultsOf(after ?? {}).map(({ id }) => id)).toEqual(['call_1', 'call_2'])
      expect(events.filter(({ type }) => type === 'fallback')).toHaveLength(1)
    },
  )

  test('An error of another kind does not count as a forgotten answer.', async () => {
    const refuse = () =>
      new Response(JSON.stringify({ error: { message: 'The model m does not exist.' } }), { status: 404 })
    const model = speaker('responses', [call(1), refuse])
    const result = await runConversation({ ...common, stream, send: model.send })
    expect(result).toMatchObject({ reason: 'failed', error: { kind: 'not_found' } })
    expect(model.asked).toHaveLength(2)
  })

  test('A conversation that the server extends itself is never sent twice.', async () => {
    const model = speaker('responses', [call(1), { id: 'resp_2', text: 'Done.' }])
    const kept = { ...request, conversation: 'conv_1' }
    await runConversation({ ...common, onlyNew: false, request: kept, stream, send: model.send })
    expect(model.asked[1]).toMatchObject({
      conversation: 'conv_1',
      input: [{ type: 'function_call_output', call_id: 'call_1' }],
    })
    expect(model.asked[1]).not.toHaveProperty('previous_response_id')
  })
})

test('A failure reported inside the stream counts too.', async () => {
  const failed = { ...refusals['an id it does not know'], type: 'error', sequence_number: 0 }
  const model = speaker('responses', [call(1), () => [failed], { id: 'resp_2', text: 'Done.' }])
  const result = await runConversation({ ...common, stream: true, send: model.send })
  expect(result).toMatchObject({ reason: 'answer', text: 'Done.' })
  expect(resultsOf(model.asked[2] ?? {})).toHaveLength(1)
})

test('An earlier answer that the caller names is kept, and the conversation since then is sent with it.', async () => {
  const model = speaker('responses', [call(1), { id: 'resp_2', text: 'Done.' }])
  const since = { ...request, previous_response_id: 'resp_0' }
  await runConversation({ ...common, onlyNew: false, request: since, send: model.send })
  expect(model.asked[1]).toMatchObject({ previous_response_id: 'resp_0' })
  expect(historyOf(model.asked[1] ?? {})).toHaveLength(3)
})

test('A wire whose servers store nothing reports so.', async () => {
  await expect(
    runConversation({ wire: 'chat', request: asking('chat', 'Go.'), onlyNew: true, send: () => ({}) }),
  ).rejects.toThrow('"onlyNew" needs a wire whose servers can store answers')
})

test('Message ids that only a stream contained are those of the server.', async () => {
  const answer = native('responses', { text: 'Wait.', ...call(1) })
  const model = speaker('responses', [() => streamed('responses', answer), { id: 'resp_2', text: 'Done.' }])
  const sent = await runConversation({ ...common, onlyNew: false, stream: true, send: model.send })
  const said = historyOf(sent.state.request)
  const known = JSON.stringify(streamed('responses', answer))
  for (const { id } of said.slice(1, 3)) expect(known).toContain(String(id))
})

test('A server whose stream ends without repeating the answer does not get ids that it never sent.', async () => {
  const frames = streamed('responses', native('responses', { text: 'Wait.', ...call(1) })).map(frame =>
    frame.replace(/"output":\[\{.*\}\],"usage"/, '"output":[],"usage"'),
  )
  const model = speaker('responses', [() => frames, { id: 'resp_2', text: 'Done.' }])
  await runConversation({ ...common, onlyNew: false, stream: true, send: model.send })
  const [, message, called] = historyOf(model.asked[1] ?? {})
  expect(message).toMatchObject({ role: 'assistant', content: [{ text: 'Wait.' }] })
  expect(message).not.toHaveProperty('id')
  expect(called).toMatchObject({ type: 'function_call', id: 'fc_resp_1_0', call_id: 'call_1' })
})
