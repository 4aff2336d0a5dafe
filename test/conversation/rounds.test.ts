/** Whole conversations on every wire, streamed and not: rounds, parallel calls, failures, limits. */
import { describe, expect, test } from 'vitest'
import { runConversation } from '../../packages/core/src/run-conversation.ts'
import type { ConversationEvent } from '../../packages/core/src/runtime/conversation/types.ts'
import { defineTool } from '../../packages/core/src/runtime/tools/define-tool.ts'
import { createTestHost } from '../../packages/core/src/testing/test-host.ts'
import { asking, historyOf, native, resultsOf, speaker, wires } from './native.ts'

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  handler: ({ city }) => `${city}: sunny`,
})
const broken = defineTool({
  name: 'broken',
  description: 'Fails.',
  parameters: { type: 'object', properties: {} },
  handler: () => {
    throw Object.assign(new Error('no connection'), { code: 'E_DOWN' })
  },
})

const ways = wires.flatMap(wire => [false, true].map(stream => ({ wire, stream })))

describe.each(ways)('on $wire, streamed: $stream', ({ wire, stream }) => {
  const request = asking(wire, 'How is the weather?')
  const common = { wire, request, stream, tools: [weather, broken] }

  test('Each of several sequential rounds gets the results of those before. [S002.12]', async () => {
    const model = speaker(wire, [
      { id: 'a', calls: [{ id: 'call_1', name: 'weather', input: { city: 'Oslo' } }] },
      { id: 'b', text: 'One more.', calls: [{ id: 'call_2', name: 'weather', input: { city: 'Rome' } }] },
      { id: 'c', text: 'Sunny everywhere.' },
    ])
    const before = JSON.stringify(request)
    const result = await runConversation({ ...common, send: model.send })
    expect(result).toMatchObject({ reason: 'answer', text: 'Sunny everywhere.', rounds: 3, pending: [] })
    expect(result.usage).toMatchObject({ input: 30, output: 15 })
    expect(model.asked.map(resultsOf)).toEqual([
      [],
      [{ id: 'call_1', text: 'Oslo: sunny', isError: false }],
      [
        { id: 'call_1', text: 'Oslo: sunny', isError: false },
        { id: 'call_2', text: 'Rome: sunny', isError: false },
      ],
    ])
    expect(JSON.stringify(request)).toBe(before)
    expect(result.diagnostics).toEqual([])
  })

  test('A strict tool of the program is strict where the rules of the wire accept its schema.', async () => {
    const share = defineTool({
      name: 'share',
      strict: true,
      parameters: {
        type: 'object',
        properties: { part: { type: 'number', minimum: 0 } },
        required: ['part'],
        additionalProperties: false,
      },
    })
    const model = speaker(wire, [{ text: 'No.' }])
    const result = await runConversation({ ...common, tools: [share], send: model.send })
    const dropped = wire === 'messages'
    expect(JSON.stringify(model.asked).includes('"strict":true')).toBe(!dropped)
    expect(result.diagnostics.map(({ code }) => code)).toEqual(dropped ? ['strict_dropped'] : [])
  })

  test('Parallel calls run concurrently, and their results follow them in the order of the calls. [S002.13]', async () => {
    const calls = ['Oslo', 'Rome', 'Bern'].map((city, i) => ({
      id: `call_${i}`,
      name: 'meet',
      input: { city },
    }))
    // Each handler waits for all the others to have started; run one by one, they meet only their timeouts.
    let begin = (): void => {}
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    let openGate = (): void => {}
    const gate = new Promise<void>(resolve => {
      openGate = resolve
    })
    let started = 0
    const meet = defineTool({
      ...weather,
      name: 'meet',
      handler: async ({ city }) => {
        begin()
        if (++started === calls.length) openGate()
        await gate
        return `${city}: sunny`
      },
    })
    const model = speaker(wire, [{ calls }, { text: 'Done.' }])
    const host = createTestHost()
    const running = runConversation({ ...common, tools: [meet], send: model.send, host })
    await Promise.race([begun, running])
    await host.runAll()
    const result = await running
    expect(result.reason).toBe('answer')
    expect(resultsOf(model.asked[1] ?? {}).map(({ text }) => text)).toEqual([
      'Oslo: sunny',
      'Rome: sunny',
      'Bern: sunny',
    ])
    expect(result.outcomes).toHaveLength(2)
    expect(result.outcomes[0]?.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  })

  test('A failing tool gives a result with message and code, and the other call is unaffected. [S002.15]', async () => {
    const model = speaker(wire, [
      {
        calls: [
          { id: 'call_1', name: 'broken', input: {} },
          { id: 'call_2', name: 'weather', input: { city: 'Oslo' } },
        ],
      },
      { text: 'So be it.' },
    ])
    const result = await runConversation({ ...common, send: model.send })
    const [failed, fine] = resultsOf(model.asked[1] ?? {})
    expect(failed).toMatchObject({ id: 'call_1', isError: true })
    expect(JSON.parse(failed?.text ?? '')).toMatchObject({
      error: true,
      message: 'no connection',
      code: 'E_DOWN',
    })
    expect(fine).toMatchObject({ id: 'call_2', text: 'Oslo: sunny' })
    expect(result.reason).toBe('answer')
  })

  test('A call of an undeclared tool gives an error result that the model can correct.', async () => {
    const model = speaker(wire, [{ calls: [{ id: 'call_1', name: 'wether', input: {} }] }, { text: 'Oh.' }])
    const result = await runConversation({ ...common, send: model.send })
    expect(result.outcomes[0]?.[0]?.error?.code).toBe('unknown_tool')
    expect(resultsOf(model.asked[1] ?? {})[0]).toMatchObject({ isError: true })
  })

  test('A truncated call is not run; the model gets one error, and the second time the loop ends. [field G11]', async () => {
    const ran: string[] = []
    const tool = defineTool({
      name: 'write',
      description: 'Writes a file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      handler: ({ path }) => {
        ran.push(String(path))
        return 'ok'
      },
    })
    const cut = { finish: 'length', calls: [{ id: 'call_1', name: 'write', input: { path: 'x' } }] } as const
    const shorter = { id: 'z', calls: [{ id: 'call_2', name: 'write', input: { path: 'y' } }] }
    const model = speaker(wire, [cut, shorter, { text: 'Written.' }])
    const result = await runConversation({ ...common, tools: [tool], send: model.send })
    expect(result.reason).toBe('answer')
    expect(ran).toEqual(['y'])
    expect(result.outcomes[0]?.[0]?.error?.code).toBe('truncated_call')
    expect(resultsOf(model.asked[1] ?? {})).toMatchObject([{ id: 'call_1', isError: true }])

    const again = { ...cut, id: 'again', calls: [{ ...cut.calls[0], id: 'call_9' }] }
    const stubborn = speaker(wire, [cut, again])
    const stopped = await runConversation({ ...common, tools: [tool], send: stubborn.send })
    expect(stopped).toMatchObject({ reason: 'length', rounds: 2 })
    expect(resultsOf(stopped.state.request)).toHaveLength(2)
    expect(ran).toEqual(['y'])
  })

  test('An answer without calls that is cut off at its length ends with "length".', async () => {
    const model = speaker(wire, [{ text: 'Once upon', finish: 'length' }])
    expect(await runConversation({ ...common, send: model.send })).toMatchObject({
      reason: 'length',
      text: 'Once upon',
    })
  })

  test('A refusal ends the conversation.', async () => {
    const model = speaker(wire, [{ refusal: 'I will not.' }])
    expect(await runConversation({ ...common, send: model.send })).toMatchObject({ reason: 'refusal' })
  })

  test('The calls of the last allowed round still get their results.', async () => {
    const model = speaker(wire, [{ calls: [{ id: 'call_1', name: 'weather', input: { city: 'Oslo' } }] }])
    const result = await runConversation({ ...common, maxRounds: 1, send: model.send })
    expect(result).toMatchObject({ reason: 'max_rounds', rounds: 1 })
    expect(resultsOf(result.state.request)).toHaveLength(1)
  })

  test('Tokens are counted, and no request is sent beyond their limit.', async () => {
    const call = (n: number) => ({
      id: `r${n}`,
      calls: [{ id: `call_${n}`, name: 'weather', input: { city: 'x' } }],
    })
    const model = speaker(wire, [call(1), call(2), call(3)])
    const result = await runConversation({ ...common, maxTokens: 30, send: model.send })
    expect(result).toMatchObject({ reason: 'max_tokens', rounds: 2, usage: { input: 20, output: 10 } })
  })

  test('Two calls with the same id, or without one, each get their own result.', async () => {
    const model = speaker(wire, [
      {
        calls: [
          { id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
          { id: 'call_1', name: 'weather', input: { city: 'Rome' } },
          { id: '', name: 'weather', input: { city: 'Bern' } },
        ],
      },
      { id: 'b', calls: [{ id: 'call_1', name: 'weather', input: { city: 'Graz' } }] },
      { text: 'ok' },
    ])
    const result = await runConversation({ ...common, send: model.send })
    expect(result.reason).toBe('answer')
    const last = resultsOf(model.asked[2] ?? {})
    expect(last.map(({ text }) => text)).toEqual(['Oslo: sunny', 'Rome: sunny', 'Bern: sunny', 'Graz: sunny'])
    expect(new Set(last.map(({ id }) => id)).size).toBe(4)
    const called = JSON.stringify(historyOf(model.asked[2] ?? {}))
    for (const { id } of last) expect(called.split(JSON.stringify(id)).length).toBe(3)
  })

  test('Text and calls are emitted while they stream. [S002.18]', async () => {
    const events: ConversationEvent[] = []
    const model = speaker(wire, [
      { text: 'Let me see.', calls: [{ id: 'call_1', name: 'weather', input: { city: 'Oslo' } }] },
      { text: 'Sunny.' },
    ])
    await runConversation({
      ...common,
      send: model.send,
      onEvent(event) {
        events.push(event)
        throw new Error('a listener that throws harms nobody')
      },
    })
    const told = (type: ConversationEvent['type']): string =>
      events.flatMap(event => (event.type === type && 'text' in event ? [event.text] : [])).join('')
    expect(told('text-delta')).toBe('Let me see.Sunny.')
    expect(JSON.parse(told('call-delta'))).toEqual({ city: 'Oslo' })
    expect(events.map(({ type }) => type).filter(type => !type.endsWith('-delta'))).toEqual([
      'round-started',
      'call-started',
      'call-finished',
      'round-finished',
      'round-started',
      'round-finished',
      'finished',
    ])
  })

  test('The last answer is returned in the shape of the wire.', async () => {
    const id = { chat: 'chatcmpl-9', responses: 'resp_9', messages: 'msg_9' }[wire]
    const model = speaker(wire, [{ id, text: 'Sunny.' }])
    const { answer } = await runConversation({ ...common, send: model.send })
    expect(answer).toMatchObject({ id, model: 'm' })
    if (!stream) expect(answer).toEqual(native(wire, { id, text: 'Sunny.' }))
  })
})
