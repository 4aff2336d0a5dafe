/** What an answer may hold besides text and function calls, and what goes back of it. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { runConversation } from '../../packages/core/src/run-conversation.ts'
import { defineTool } from '../../packages/core/src/runtime/tools/define-tool.ts'
import { asking, historyOf, native, resultsOf, speaker, streamed, wires } from './native.ts'

const quick = defineTool({ name: 'quick', description: 'Ends at once.', handler: () => 'done' })
const calls = [{ id: 'call_1', name: 'quick', input: {} }]

describe('items of the provider', () => {
  const search = {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'x' },
  }
  const blocks = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
  ]

  test.each([
    ['responses', [search]],
    ['messages', blocks],
  ] as const)(
    'On %s a call that the provider ran is neither run nor answered, and stays in its position. [S003.2]',
    async (wire, before) => {
      const model = speaker(wire, [{ before, calls }, { text: 'Found.' }])
      const result = await runConversation({
        wire,
        request: asking(wire, 'Go.'),
        tools: [quick],
        send: model.send,
      })
      expect(result).toMatchObject({ reason: 'answer', pending: [] })
      expect(resultsOf(model.asked[1] ?? {})).toEqual([{ id: 'call_1', text: 'done', isError: false }])
      expect(JSON.stringify(historyOf(model.asked[1] ?? {}))).toContain(JSON.stringify(before[0]))
      const only = speaker(wire, [{ before, text: 'Found.' }])
      expect(await runConversation({ wire, request: asking(wire, 'Go.'), send: only.send })).toMatchObject({
        reason: 'answer',
        text: 'Found.',
      })
    },
  )

  test('An item that the client must answer is pending, and is answered by an item of the wire. [S003.2]', async () => {
    const shell: JsonObject = {
      type: 'local_shell_call',
      id: 'lsh_1',
      call_id: 'call_9',
      status: 'completed',
      action: { type: 'exec', command: ['ls'], env: {} },
    }
    const model = speaker('responses', [{ before: [shell], calls }])
    const request = asking('responses', 'Go.')
    const stopped = await runConversation({ wire: 'responses', request, tools: [quick], send: model.send })
    expect(stopped).toMatchObject({ reason: 'pending', pending: [{ id: 'call_9', form: 'hosted' }] })
    const { state } = stopped
    await expect(runConversation({ state, send: model.send })).rejects.toThrow('"call_9" (local_shell_call)')
    const next = speaker('responses', [{ text: 'Done.' }])
    const input = { type: 'local_shell_call_output', id: 'lsh_1', call_id: 'call_9', output: 'a' }
    const ended = await runConversation({ state, input, tools: [quick], send: next.send })
    expect(ended.reason).toBe('answer')
    expect(historyOf(next.asked[0] ?? {}).at(-1)).toEqual(input)
  })

  test('An item that the provider has answered itself is not pending. [S003.2]', async () => {
    const shell = { type: 'shell_call', id: 'sh_1', call_id: 'call_8', status: 'completed', action: {} }
    const output = { type: 'shell_call_output', id: 'sho_1', call_id: 'call_8', output: [] }
    const found = { type: 'tool_search_call', id: 'ts_1', call_id: null, execution: 'server', arguments: {} }
    const model = speaker('responses', [{ before: [shell, output, found], text: 'Ran it.' }])
    const request = asking('responses', 'Go.')
    expect(await runConversation({ wire: 'responses', request, send: model.send })).toMatchObject({
      reason: 'answer',
      pending: [],
    })
  })

  test('A provider that pauses gets another request with its previous answer.', async () => {
    const model = speaker('messages', [{ before: blocks, finish: 'pause' }, { text: 'Found.' }])
    const result = await runConversation({
      wire: 'messages',
      request: asking('messages', 'Go.'),
      send: model.send,
    })
    expect(result).toMatchObject({ reason: 'answer', rounds: 2 })
    expect(historyOf(model.asked[1] ?? {}).at(-1)).toEqual({ role: 'assistant', content: blocks })
  })
})

describe('parts that only their origin understands', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' }
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'signed' }

  test.each([
    ['responses', false, reasoning],
    ['responses', true, reasoning],
    ['messages', false, thinking],
    ['messages', true, thinking],
  ] as const)(
    'On %s, streamed: %s, sealed reasoning is sent back before the calls that followed it.',
    async (wire, stream, sealed) => {
      const model = speaker(wire, [{ before: [sealed], calls }, { text: 'Done.' }])
      await runConversation({ wire, stream, request: asking(wire, 'Go.'), tools: [quick], send: model.send })
      const history = historyOf(model.asked[1] ?? {})
      const first = wire === 'responses' ? history[1] : (history[1]?.content as JsonObject[] | undefined)?.[0]
      expect(first).toEqual(sealed)
    },
  )

  test('Fields that a client library added to the answer are not sent back.', async () => {
    const answer = native('chat', { text: 'x', calls }) as { choices: [{ message: Record<string, unknown> }] }
    answer.choices[0].message.parsed = { secret: 1 }
    answer.choices[0].message.vendor = 'kept'
    const model = speaker('chat', [() => answer, { text: 'Done.' }])
    await runConversation({ wire: 'chat', request: asking('chat', 'Go.'), tools: [quick], send: model.send })
    const sent = historyOf(model.asked[1] ?? {})[1]
    expect(sent).not.toHaveProperty('parsed')
    expect(sent).toMatchObject({ vendor: 'kept', role: 'assistant' })
  })
})

describe('unusual calls', () => {
  test("A free-text call of the caller's tool is pending in its own form.", async () => {
    const request = { ...asking('responses', 'Go.'), tools: [{ type: 'custom', name: 'patch' }] }
    const custom = {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_9',
      name: 'patch',
      input: '*** Begin',
    }
    const model = speaker('responses', [{ before: [custom], calls }])
    const stopped = await runConversation({ wire: 'responses', request, tools: [quick], send: model.send })
    expect(stopped.pending).toEqual([{ id: 'call_9', name: 'patch', arguments: '*** Begin', form: 'custom' }])
    const next = speaker('responses', [{ text: 'Done.' }])
    const results = [{ callId: 'call_9', content: 'applied' }]
    await runConversation({ state: stopped.state, results, tools: [quick], send: next.send })
    expect(historyOf(next.asked[0] ?? {}).slice(-2)).toMatchObject([
      { type: 'custom_tool_call_output', call_id: 'call_9', output: 'applied' },
      { type: 'function_call_output', call_id: 'call_1' },
    ])
  })

  test.each(wires)('On %s a bundle of calls is split, and each has its result.', async wire => {
    const uses = ['quick', 'quick'].map(name => ({ recipient_name: `functions.${name}`, parameters: {} }))
    const bundle = { id: 'call_1', name: 'multi_tool_use.parallel', input: { tool_uses: uses } }
    const model = speaker(wire, [{ calls: [bundle] }, { text: 'Done.' }])
    const result = await runConversation({
      wire,
      request: asking(wire, 'Go.'),
      tools: [quick],
      send: model.send,
    })
    expect(result.outcomes[0]).toHaveLength(2)
    expect(resultsOf(model.asked[1] ?? {}).map(({ id }) => id)).toEqual(['call_1_0', 'call_1_1'])
    const items = historyOf(model.asked[1] ?? {}).flatMap(({ id }) => (id === undefined ? [] : [id]))
    expect(new Set(items).size).toBe(items.length)
  })

  test('The reason "stop" with calls means calls, and "tool_calls" without any means an answer. [C13]', async () => {
    const stop = native('chat', { calls }) as { choices: [{ finish_reason: string }] }
    stop.choices[0].finish_reason = 'stop'
    const none = native('chat', { text: 'Done.' }) as { choices: [{ finish_reason: string }] }
    none.choices[0].finish_reason = 'tool_calls'
    const model = speaker('chat', [() => stop, () => none])
    const result = await runConversation({
      wire: 'chat',
      request: asking('chat', 'Go.'),
      tools: [quick],
      send: model.send,
    })
    expect(result).toMatchObject({ reason: 'answer', rounds: 2 })
  })

  test('A call that Responses marks as complete runs, although the answer was cut off after it.', async () => {
    const answer = native('responses', {
      calls: [...calls, { id: 'call_2', name: 'quick', input: '{"a' }],
      finish: 'length',
    })
    const [first] = answer.output as { status: string }[]
    if (first !== undefined) first.status = 'completed'
    const model = speaker('responses', [() => answer, { text: 'Done.' }])
    const result = await runConversation({
      wire: 'responses',
      request: asking('responses', 'Go.'),
      tools: [quick],
      send: model.send,
    })
    expect(result.outcomes[0]?.map(({ status }) => status)).toEqual(['ok', 'failed'])
  })

  test('An answer that its server has not finished is a failure.', async () => {
    const send = () => ({ ...native('responses', { text: 'x' }), status: 'queued' })
    const result = await runConversation({ wire: 'responses', request: asking('responses', 'Go.'), send })
    expect(result).toMatchObject({
      reason: 'failed',
      error: { message: expect.stringContaining('"queued"') },
    })
  })

  test('An answer that failed midway is a failure with its message.', async () => {
    const failed = { status: 'failed', error: { code: 'server_error', message: 'It broke.' } }
    const send = () => ({ ...native('responses', { text: 'x' }), ...failed })
    const result = await runConversation({ wire: 'responses', request: asking('responses', 'Go.'), send })
    expect(result).toMatchObject({
      reason: 'failed',
      text: 'x',
      error: { message: 'It broke.', code: 'server_error', kind: 'server' },
    })
  })
})

describe('adapted tools', () => {
  const odd = defineTool({
    name: 'files.read',
    description: 'Reads.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'number' } },
      required: ['path'],
    },
    handler: args => JSON.stringify(args),
  })

  test.each(wires)(
    'On %s a tool that was renamed and made strict runs by its original name and arguments.',
    async wire => {
      let name = ''
      const first = (body: JsonObject) => {
        const [tool] = body.tools as { name?: string; function?: { name: string } }[]
        name = tool?.name ?? tool?.function?.name ?? ''
        // One wire's strict rules let a property be left out; the others have it say null.
        const input = JSON.stringify(tool).includes('null') ? { path: 'a', limit: null } : { path: 'a' }
        return native(wire, { calls: [{ id: 'call_1', name, input }] })
      }
      const model = speaker(wire, [first, { text: 'Done.' }])
      const result = await runConversation({
        wire,
        request: asking(wire, 'Go.'),
        tools: [odd],
        strict: 'strictify',
        send: model.send,
      })
      expect(name).toMatch(/^[\w-]+$/)
      expect(result.outcomes[0]?.[0]).toMatchObject({ status: 'ok', call: { name: 'files.read' } })
      expect(resultsOf(model.asked[1] ?? {})[0]?.text).toBe('{"path":"a"}')
      expect(JSON.stringify(model.asked[1])).toContain(JSON.stringify(name))
    },
  )

  test.each(wires)('On %s a choice that forces a call applies to the first round only.', async wire => {
    const choice = { chat: 'required', responses: 'required', messages: { type: 'any' } }[wire]
    const request = { ...asking(wire, 'Go.'), tool_choice: choice }
    const model = speaker(wire, [{ calls }, { text: 'Done.' }])
    await runConversation({ wire, request, tools: [quick], send: model.send })
    expect(model.asked[0]).toMatchObject({ tool_choice: choice })
    expect(model.asked[1]).not.toHaveProperty('tool_choice')
  })

  test.each(wires)('On %s the request may choose a tool of the program by its original name.', async wire => {
    const choice = {
      chat: { type: 'function', function: { name: odd.name } },
      responses: { type: 'function', name: odd.name },
      messages: { type: 'tool', name: odd.name },
    }[wire]
    const model = speaker(wire, [{ text: 'Done.' }])
    const request = { ...asking(wire, 'Go.'), tool_choice: choice }
    await runConversation({ wire, request, tools: [odd], send: model.send })
    expect(JSON.stringify(model.asked[0]?.tool_choice)).toMatch(/"files_read_\w+"/)
  })

  test.each(wires)('On %s an image in a result reaches the model where the wire allows it.', async wire => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])
    const photo = defineTool({ name: 'photo', description: 'Takes one.', handler: () => png })
    const photos = [
      { id: 'call_1', name: 'photo', input: {} },
      { id: 'call_2', name: 'photo', input: {} },
    ]
    const model = speaker(wire, [{ calls: photos }, { text: 'Nice.' }])
    const result = await runConversation({
      wire,
      request: asking(wire, 'Go.'),
      tools: [photo],
      send: model.send,
    })
    expect(result.reason).toBe('answer')
    const history = historyOf(model.asked[1] ?? {})
    expect(JSON.stringify(history)).toContain('iVBORw0KGgoAAA==')
    expect(resultsOf(model.asked[1] ?? {}).map(({ id }) => id)).toEqual(['call_1', 'call_2'])
    if (wire === 'chat')
      expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
  })
})

test('A complete answer is accepted where a stream was requested.', async () => {
  for (const wire of wires) {
    const send = () => new Response(JSON.stringify(native(wire, { text: 'Whole.' })))
    expect(await runConversation({ wire, stream: true, request: asking(wire, 'Go.'), send })).toMatchObject({
      text: 'Whole.',
    })
    const text = streamed(wire, native(wire, { text: 'Streamed.' })).join('')
    for (const headers of [{}, { 'content-type': 'text/event-stream' }]) {
      const streams = () => new Response(text, { headers })
      expect(await runConversation({ wire, request: asking(wire, 'Go.'), send: streams })).toMatchObject({
        text: 'Streamed.',
      })
    }
  }
})
